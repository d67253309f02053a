import type { Grammar } from '../grammar';
import * as grammars from '../grammar';
import type { GRAMMARS, GrammarInFile } from './fields';

const NAMED: Record<(typeof GRAMMARS)[number], Grammar> = {
  digits: grammars.digits,
  hex: grammars.hex,
  uuid: grammars.uuid,
  word: grammars.word,
  segment: grammars.segment,
  'plain-text': grammars.plainText,
  text: grammars.anyText,
  pairs: grammars.pairs,
  token: grammars.token,
  'legacy-token': grammars.legacyToken,
  jwt: grammars.jwt,
};

/** What people call the characters. */
const CHARACTERS = new Map([
  [grammars.DIGITS, 'decimal digits'],
  [`${grammars.DIGITS}abcdefABCDEF`, 'hexadecimal digits'],
]);

const listOf = (characters: string): string => {
  const visible = characters.replaceAll(/\p{Cc}/gu, '');
  const quoted = Array.from(visible, (character) => JSON.stringify(character));
  return [...quoted, ...(visible === characters ? [] : ['some control characters'])].join(', ');
};

const countOf = (min: number, max: number): string => {
  if (min === max) return String(max);
  return min === 1 ? `at most ${max}` : `${min} to ${max}`;
};

/** The grammar for a parameter's declaration in a file. */
export const grammarOf = (given: GrammarInFile): Grammar => {
  if (typeof given === 'string') return NAMED[given];
  if ('oneOf' in given) return grammars.oneOf('choice', given.oneOf);
  const { min = 1 } = given;
  if ('except' in given) {
    const { except, max } = given;
    return { ...grammars.text('text', except, `any text without ${listOf(except)}`, max), min };
  }
  const { chars, max = Math.max(min, 512) } = given;
  const what = CHARACTERS.get(chars) ?? `characters of ${chars}`;
  return grammars.chars('characters', chars, { min, max }, `${countOf(min, max)} ${what}`);
};

const SEPARATOR = /^[!-/;-@[-`{-~]/u;

/** The grammar of a parameter without a declaration: text up to the separator that follows it in the pattern. */
export const defaultGrammar = (following: string): Grammar =>
  SEPARATOR.test(following) ? grammars.segmentBefore(following.charAt(0)) : grammars.segment;
