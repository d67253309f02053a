import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { jsonMembers } from './json-members';

type Context = Pick<ReadContext, 'reader'>;

/** `absent`: the key does not exist. `unknown`: it cannot be read, is of another type, or too long to search. */
export type Contained = 'yes' | 'no' | 'absent' | 'unknown';

export interface MemberPair {
  key: Key;
  member: Buffer | string;
}

/** Elements of a list that are searched. */
const MAX_LIST = 1000;
/** A longer JSON array is not searched. */
const MAX_JSON_BYTES = 64 * 1024;
/** JSON arrays that are in memory at once. */
const JSON_BATCH = 32;

const idOf = (key: Key): string => key.toString('latin1');

/** What is sent about one pair, and how the answers are read; null for a type without members. */
interface Question {
  commands: ReadCommand[];
  answer(replies: readonly unknown[]): Contained;
}

const yesOrNo = (isMember: boolean): Contained => (isMember ? 'yes' : 'no');

const ofSet = ({ key, member }: MemberPair): Question => ({
  commands: [['SISMEMBER', key, member]],
  answer: ([reply]) => yesOrNo(reply === 1),
});

const ofSortedSet = ({ key, member }: MemberPair): Question => ({
  commands: [['ZSCORE', key, member]],
  answer: ([reply]) => yesOrNo(reply !== null),
});

const ofList = ({ key, member }: MemberPair): Question => ({
  commands: [
    ['LPOS', key, member, 'MAXLEN', MAX_LIST],
    ['LLEN', key],
  ],
  answer: ([place, length]) => {
    if (place !== null) return 'yes';
    return (length as number) > MAX_LIST ? 'unknown' : 'no';
  },
});

const QUESTIONS: Readonly<Record<string, (pair: MemberPair) => Question>> = {
  set: ofSet,
  zset: ofSortedSet,
  list: ofList,
};

/** The members of JSON arrays by key; none for a text that is no array, or a longer one. */
const readArrays = async ({ reader }: Context, keys: readonly Key[]): Promise<Map<string, Set<string>>> => {
  const found = new Map<string, Set<string>>();
  for (let from = 0; from < keys.length; from += JSON_BATCH) {
    const batch = keys.slice(from, from + JSON_BATCH);
    const values = await reader.getStrings(batch, MAX_JSON_BYTES);
    for (const [i, key] of batch.entries()) {
      const value = values[i];
      if (!value || value instanceof Error || value.bytes.length < value.length) continue;
      const members = jsonMembers(value.bytes);
      if (members) found.set(idOf(key), new Set(members.map(idOf)));
    }
  }
  return found;
};

const distinctKeys = (pairs: readonly MemberPair[]): Key[] => [
  ...new Map(pairs.map(({ key }) => [idOf(key), key])).values(),
];

/**
 * Whether keys have members, in order: sets, sorted sets, lists up to 1000 elements, and JSON arrays up to 64 KiB. In a
 * few round trips, however many pairs there are.
 */
export const containsMany = async (ctx: Context, pairs: readonly MemberPair[]): Promise<Contained[]> => {
  const keys = distinctKeys(pairs);
  const replies: readonly unknown[] = await ctx.reader.readMany(keys.map((key) => ['TYPE', key] as const));
  const types = new Map(keys.map((key, i) => [idOf(key), replies[i]]));
  const typeOf = ({ key }: MemberPair): unknown => types.get(idOf(key));
  const arrays = await readArrays(
    ctx,
    keys.filter((key) => types.get(idOf(key)) === 'string'),
  );
  const questions = pairs.map((pair) => {
    const type = typeOf(pair);
    return typeof type === 'string' ? (QUESTIONS[type]?.(pair) ?? null) : null;
  });
  const answers: readonly unknown[] = await ctx.reader.readMany(
    questions.flatMap((question) => question?.commands ?? []),
  );
  let at = 0;
  return pairs.map((pair, i) => {
    const question = questions[i];
    if (question) {
      const own = answers.slice(at, at + question.commands.length);
      at += question.commands.length;
      return own.some((reply) => reply instanceof Error) ? 'unknown' : question.answer(own);
    }
    if (typeOf(pair) === 'none') return 'absent';
    const array = arrays.get(idOf(pair.key));
    return array ? yesOrNo(array.has(Buffer.from(pair.member).toString('latin1'))) : 'unknown';
  });
};
