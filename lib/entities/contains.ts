import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { inBatches, readEach } from '@/lib/values/read-each';
import { textOf } from '@/lib/values/string-value';
import { jsonArray, memberText } from './json-members';

type Context = Pick<ReadContext, 'reader'>;

/** `absent`: the key does not exist. `unknown`: unreadable, of another type, or too long to search. */
export type Contained = 'yes' | 'no' | 'absent' | 'unknown';

interface MemberPair {
  key: Key;
  member: Buffer | string;
}

/** Number of list elements that are searched. */
const MAX_LIST = 1000;
/** Longer JSON arrays are not searched. */
const MAX_JSON_BYTES = 64 * 1024;
/** JSON arrays in memory at once, and parsed before the event loop may do other work. */
const JSON_BATCH = 8;

const idOf = (key: Key): string => key.toString('latin1');

/** The commands for one pair and the interpretation of their replies; null for a type without members. */
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

const asText = (member: Buffer | string): string | null =>
  typeof member === 'string' ? member : textOf(member);

/** Which of the wanted members are in JSON arrays, by key; none for text that is not an array, or is too long. */
const searchArrays = async (
  { reader }: Context,
  pairs: readonly MemberPair[],
): Promise<Map<string, Set<string>>> => {
  const sought = new Map<string, Set<string>>();
  for (const { key, member } of pairs) {
    const text = asText(member);
    const own = sought.get(idOf(key)) ?? new Set();
    sought.set(idOf(key), text === null ? own : own.add(text));
  }
  const members = await inBatches(distinctKeys(pairs), JSON_BATCH, async (batch) => {
    const values = await reader.getStrings(batch, MAX_JSON_BYTES);
    return batch.flatMap((key, i) => {
      const value = values[i];
      const isWhole = value && !(value instanceof Error) && value.bytes.length === value.length;
      const elements = isWhole ? jsonArray(value.bytes) : null;
      if (!elements) return [];
      const wanted = sought.get(idOf(key))!;
      return [[idOf(key), new Set(elements.map(memberText).filter((text) => wanted.has(text)))] as const];
    });
  });
  return new Map(members);
};

const distinctKeys = (pairs: readonly MemberPair[]): Key[] => [
  ...new Map(pairs.map(({ key }) => [idOf(key), key])).values(),
];

/**
 * Whether keys contain members, in order: sets, sorted sets, lists up to 1000 elements, and JSON arrays up to 64 KiB.
 * In a few round trips, whatever the number of pairs.
 */
export const containsMany = async (ctx: Context, pairs: readonly MemberPair[]): Promise<Contained[]> => {
  const keys = distinctKeys(pairs);
  const replies: readonly unknown[] = await ctx.reader.readMany(keys.map((key) => ['TYPE', key] as const));
  const types = new Map(keys.map((key, i) => [idOf(key), replies[i]]));
  const typeOf = ({ key }: MemberPair): unknown => types.get(idOf(key));
  const arrays = await searchArrays(
    ctx,
    pairs.filter((pair) => typeOf(pair) === 'string'),
  );
  const questions = pairs.map((pair) => {
    const type = typeOf(pair);
    return typeof type === 'string' ? (QUESTIONS[type]?.(pair) ?? null) : null;
  });
  const answers = await readEach(ctx.reader, questions, (question) => question?.commands ?? []);
  return pairs.map((pair, i) => {
    const [question, own] = [questions[i], answers[i]!];
    if (question) return own.some((reply) => reply instanceof Error) ? 'unknown' : question.answer(own);
    if (typeOf(pair) === 'none') return 'absent';
    const array = arrays.get(idOf(pair.key));
    const text = asText(pair.member);
    return array ? yesOrNo(text !== null && array.has(text)) : 'unknown';
  });
};
