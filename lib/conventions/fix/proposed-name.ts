import 'server-only';
import { looksRandom } from '@/lib/keyspace/mask';
import type { Key } from '@/lib/redis/commands';

/** Document 004 separates parts by colons. These were used instead in a name without one. */
const SEPARATORS = /[/_]+/u;
/** Where a word begins within `UserProfile`. */
const HUMPS = /(?<=\p{Ll})(?=\p{Lu})/u;

/** Ids and tokens stay as they are. */
const isId = (part: string): boolean => /\d|@/u.test(part) || looksRandom(part);

const wordsOf = (part: string): string[] =>
  isId(part) ? [part] : part.split(HUMPS).map((word) => word.toLowerCase());

/**
 * The name that the convention `{business}:{module}:{id}` gives a key: lower case words between colons, no empty part.
 * null where nothing would change, nothing would be left, or the name is no text.
 */
export const proposedName = (key: Key): Key | null => {
  const text = key.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(key)) return null;
  const separator = text.includes(':') ? ':' : SEPARATORS;
  // What is in braces decides the slot in a cluster, so it stays one part.
  const pieces = text
    .split(/(\{[^{}]*\})/u)
    .map((piece) => (piece.startsWith('{') ? piece : piece.split(separator).flatMap(wordsOf).join(':')));
  const name = pieces.join('').replace(/:{2,}/gu, ':').replace(/^:|:$/gu, '');
  const proposed = Buffer.from(name, 'utf8');
  return name === '' || proposed.equals(key) ? null : proposed;
};
