import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type Cut, cutOf } from '@/lib/key-values/etag';
import { readFields } from '@/lib/key-values/raw-elements';
import { type ConversationDefinition, messageFields } from '@/lib/keyspace/entities';
import { sourceKey } from '@/lib/keyspace/entity-ids';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { readEach } from '@/lib/values/read-each';
import { textOf } from '@/lib/values/string-value';

type Context = Pick<ReadContext, 'catalog' | 'connection' | 'reader'>;
type MessageDefinition = NonNullable<ConversationDefinition['message']>;

export interface RecordFields {
  sender: Cut | null;
  time: Cut | null;
  content: Cut | null;
}

/** The hash of a message whose id is an element. */
export interface MessageRecord {
  state: 'found' | 'missing' | 'unreadable';
  /** Null where it is missing. */
  key: Key | null;
  fields: RecordFields;
}

const NOTHING: RecordFields = { sender: null, time: null, content: null };
/** Longer texts are never ids. */
const MAX_ID_BYTES = 256;
/** Fields of a hash that are read completely; of longer ones a script reads the beginning. */
const MAX_WHOLE_BYTES = 16 * 1024;
/** Fields of a hash among which a script finds those of a message. */
const MAX_FIELDS = 100;

const keysOf = ({ catalog }: Context, { keys }: MessageDefinition, member: Cut): Key[] => {
  const id = member.length > MAX_ID_BYTES ? null : textOf(member.bytes);
  if (id === null) return [];
  const parts = new Map([['id', id]]);
  return keys.flatMap((source) => sourceKey(catalog, source, parts) ?? []);
};

/** The first existing key of each message, with its type; null without one. */
const firstKeys = async (
  { reader }: Context,
  candidates: readonly (readonly Key[])[],
): Promise<({ key: Key; isHash: boolean } | null)[]> => {
  const types = await readEach(reader, candidates, (keys) => keys.map((key) => ['TYPE', key] as const));
  return candidates.map((keys, i) => {
    const own = types[i]!;
    const place = own.findIndex((type) => type !== 'none');
    return place < 0 ? null : { key: keys[place]!, isHash: own[place] === 'hash' };
  });
};

const fieldsOf = ([sender, content, time, otherTime]: readonly (Cut | null)[]): RecordFields => ({
  sender: sender ?? null,
  time: time ?? otherTime ?? null,
  content: content ?? null,
});

const cutOrNull = (value: unknown): Cut | null => (Buffer.isBuffer(value) ? cutOf(value) : null);

/** The fields of a hash with long values; null where the server cannot cut them. */
const readLong = async (
  ctx: Context,
  key: Key,
  definition: MessageDefinition,
): Promise<RecordFields | null> => {
  const found = await readFields(ctx, key, 0, MAX_FIELDS);
  if (!found) return null;
  const values = new Map(found.map(([name, value]) => [name!.bytes.toString('latin1'), value!]));
  const fieldOf = (name: string) => values.get(Buffer.from(name).toString('latin1')) ?? null;
  return fieldsOf(messageFields(definition).map(fieldOf));
};

const readHash = async (
  ctx: Context,
  key: Key,
  definition: MessageDefinition,
  [lengths, values]: readonly [readonly unknown[], unknown],
): Promise<MessageRecord> => {
  const unreadable = { state: 'unreadable' as const, key, fields: NOTHING };
  if (lengths.some((length) => typeof length !== 'number')) return unreadable;
  if (!Array.isArray(values)) {
    const fields = await readLong(ctx, key, definition);
    return fields ? { state: 'found', key, fields } : unreadable;
  }
  const fields = fieldsOf(values.map(cutOrNull));
  // It was deleted meanwhile, or is a hash of something else.
  if (Object.values(fields).every((field) => !field)) return unreadable;
  return { state: 'found', key, fields };
};

/**
 * The messages whose ids are these members, in order and in three round trips; null for a member that cannot be an id. Of
 * long fields the beginning is read.
 */
export const readRecords = async (
  ctx: Context,
  definition: MessageDefinition,
  members: readonly Cut[],
): Promise<(MessageRecord | null)[]> => {
  const candidates = members.map((member) => keysOf(ctx, definition, member));
  const first = await firstKeys(ctx, candidates);
  const hashes = first.flatMap((one) => (one?.isHash ? [one.key] : []));
  const names = messageFields(definition);
  const lengths = await readEach(ctx.reader, hashes, (key) =>
    names.map((name) => ['HSTRLEN', key, name] as const),
  );
  const isShort = (i: number) =>
    lengths[i]!.reduce<number>((sum, length) => sum + Number(length), 0) <= MAX_WHOLE_BYTES;
  const short = new Map(hashes.flatMap((key, i) => (isShort(i) ? [[i, key] as const] : [])));
  const replies: readonly unknown[] = await ctx.reader.readMany(
    [...short.values()].map((key): ReadCommand => ['HMGET', key, ...names]),
  );
  const values = new Map([...short.keys()].map((i, at) => [i, replies[at]]));
  let at = 0;
  const found: (MessageRecord | null)[] = [];
  for (const [i, one] of first.entries()) {
    if (candidates[i]!.length === 0) found.push(null);
    else if (!one) found.push({ state: 'missing', key: null, fields: NOTHING });
    else if (!one.isHash) found.push({ state: 'unreadable', key: one.key, fields: NOTHING });
    else {
      found.push(await readHash(ctx, one.key, definition, [lengths[at]!, values.get(at)]));
      at += 1;
    }
  }
  return found;
};
