import 'server-only';
import { looksRandom } from '@/lib/keyspace/mask';
import type { Key } from '@/lib/redis/commands';

/** The conventions separate parts by colons. These separators are replaced in names without a colon. */
const SEPARATORS = /[/_]+/u;
/** Where a word begins within `UserProfile`. */
const HUMPS = /(?<=\p{Ll})(?=\p{Lu})/u;

/** Ids and tokens stay as they are. */
const isId = (part: string): boolean => /\d|@/u.test(part) || looksRandom(part);

const wordsOf = (part: string): string[] =>
  isId(part) ? [part] : part.split(HUMPS).map((word) => word.toLowerCase());

/**
 * The key's name by the convention `{business}:{module}:{id}`: lower case words between colons, no empty part. Null
 * where nothing would change or remain, or the name is not text.
 */
export const proposedName = (key: Key): Key | null => {
  const text = key.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(key)) return null;
  const separator = text.includes(':') ? ':' : SEPARATORS;
  // In a cluster the text in braces determines the slot, so it stays one part.
  const pieces = text
    .split(/(\{[^{}]*\})/u)
    .map((piece) => (piece.startsWith('{') ? piece : piece.split(separator).flatMap(wordsOf).join(':')));
  const name = pieces.join('').replace(/:{2,}/gu, ':').replace(/^:|:$/gu, '');
  const proposed = Buffer.from(name, 'utf8');
  return name === '' || proposed.equals(key) ? null : proposed;
};
