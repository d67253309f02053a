import type { Grammar } from '../grammar';
import * as grammars from '../grammar';
import type { GRAMMARS, GrammarInFile } from './fields';

const NAMED: Record<(typeof GRAMMARS)[number], Grammar> = {
  digits: grammars.digits,
  hex: grammars.hex,
  uuid: grammars.uuid,
  word: grammars.word,
  segment: grammars.segment,
  text: grammars.anyText,
  token: grammars.token,
  jwt: grammars.jwt,
};

/** The grammar for a parameter's declaration in a file. */
export const grammarOf = (given: GrammarInFile): Grammar => {
  if (typeof given === 'string') return NAMED[given];
  if ('oneOf' in given) return grammars.oneOf('choice', given.oneOf);
  const { chars, min = 1, max = Math.max(min, 512) } = given;
  return grammars.chars('characters', chars, { min, max }, `${min} to ${max} characters of ${chars}`);
};

const SEPARATOR = /^[!-/;-@[-`{-~]/u;

/** The grammar of a parameter without a declaration: text up to the separator that follows it in the pattern. */
export const defaultGrammar = (following: string): Grammar =>
  SEPARATOR.test(following) ? grammars.segmentBefore(following.charAt(0)) : grammars.segment;
