import 'server-only';
import type { Family } from '@/lib/keyspace/family';
import { looksRandom } from '@/lib/keyspace/mask';
import { oncePer } from '@/lib/process-wide';
import type { KeyFacts } from './rule';

const COLON = 0x3a;

/** Bytes. Only the beginning of longer names is judged. */
export const LOOK_LIMIT = 4096;

/** The parts of a name between colons, as text. */
export const nameParts = ({ key }: Pick<KeyFacts, 'key'>): string[] =>
  key.subarray(0, LOOK_LIMIT).toString('utf8').split(':');

export const firstPart = ({ key }: Pick<KeyFacts, 'key'>): string => {
  const colon = key.indexOf(COLON);
  return key.subarray(0, colon < 0 ? LOOK_LIMIT : Math.min(colon, LOOK_LIMIT)).toString('utf8');
};

/** An id, a token or a number, as opposed to a word that somebody chose. */
export const isIdLike = (part: string): boolean =>
  /\d/u.test(part) || part.includes('@') || looksRandom(part);

/** The fixed text of a family's names, and their first word; null where they begin with a parameter. */
export const wordsOf = oncePer(({ compiled: { literals, params } }: Family) => {
  const texts = literals.map((literal) => Buffer.from(literal).toString('utf8'));
  const beginsWithParam = params.length > 0 && texts[0] === '';
  return { words: texts.join('\0'), first: beginsWithParam ? null : texts[0]!.split(':')[0]! };
});
