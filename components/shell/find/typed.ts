import { typedUserId } from '@/lib/sessions/schema';

export const VERBS = ['ban', 'revoke', 'toggle', 'invalidate'] as const;
export type Verb = (typeof VERBS)[number];

/** A typed query, and what its text may be. */
export interface Typed {
  /** Without the verb. */
  text: string;
  verb: Verb | null;
  address: string | null;
  userId: string | null;
  /** The id of a job or an audit entry, or its beginning. */
  id: string | null;
}

/** Shorter texts match nearly everything. */
export const MIN_LENGTH = 2;
const MAX_LENGTH = 100;

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const IPV6 = /^(?=.*:.*:)[0-9a-f:.]{2,45}$/i;
const ID = /^[0-9a-f]{8}(-[0-9a-f-]{0,27})?$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id of ours, or a token: it is compared with what is known, and sent nowhere. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** `words` are the verbs as users type them. */
export const typedQuery = (query: string, words: Record<Verb, string>): Typed => {
  const whole = query.trim().slice(0, MAX_LENGTH);
  const begins = (word: string): boolean => whole.toLowerCase().startsWith(`${word.toLowerCase()} `);
  // The English verb works too, because operations are named by it in every language.
  const begun = VERBS.flatMap((verb) => [words[verb], verb].map((word) => ({ verb, word }))).find(
    ({ word }) => begins(word),
  );
  const verb = begun?.verb ?? null;
  const text = begun ? whole.slice(begun.word.length).trim() : whole;
  return {
    text,
    verb,
    address: IPV4.test(text) || IPV6.test(text) ? text : null,
    userId: typedUserId(text),
    id: ID.test(text) ? text.toLowerCase() : null,
  };
};
