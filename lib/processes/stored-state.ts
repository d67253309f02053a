import 'server-only';
import { fallbackFor } from '@/lib/errors';
import { type Cut, cutOf } from '@/lib/key-values/etag';
import { firstFields } from '@/lib/key-values/first-fields';
import type { ElementContext } from '@/lib/key-values/raw-elements';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { jsonObject } from '@/lib/values/json-object';
import { readEach } from '@/lib/values/read-each';
import { textOf, UNREADABLE } from '@/lib/values/string-value';
import { DECISIVE_NAMES, type NamedValues, plainName, STATUS_NAMES } from './named-values';

type Context = ElementContext;

/** A state as it is stored. */
export interface StoredState {
  type: string;
  /** Epoch ms; null where it never expires. */
  expiresAt: number | null;
  fields: { name: Cut; value: Cut }[];
  fieldsTotal: number;
  /** For decisions only, because secrets among them are not masked. */
  values: NamedValues;
  problem: 'wrongType' | 'unreadable' | null;
}

export const MAX_FIELDS = 50;
const MAX_JSON_BYTES = 64 * 1024;
/** Longer values are never numbers, times or statuses, so they are ignored. */
export const MAX_DECISIVE_BYTES = 80;
/** A short word may be the status itself. */
const MAX_WORD_BYTES = 40;

type Content = Omit<StoredState, 'type' | 'expiresAt'>;

const nothing = (problem: StoredState['problem']): Content => ({
  fields: [],
  fieldsTotal: 0,
  values: new Map(),
  problem,
});

const DECISIVE: ReadonlySet<string> = new Set(DECISIVE_NAMES);

/** Values of the deciding fields. */
const valuesOf = (fields: Content['fields']): Map<string, string> => {
  const values = new Map<string, string>();
  for (const { name, value } of fields) {
    const plain = plainName(name.bytes.toString('latin1', 0, 64));
    if (value.length <= MAX_DECISIVE_BYTES && DECISIVE.has(plain) && !values.has(plain))
      values.set(plain, value.bytes.toString('utf8'));
  }
  return values;
};

/** Deciding names of two words, which may also be written `startedAt`. */
const TWO_WORDS = [
  'started_at',
  'start_time',
  'created_at',
  'updated_at',
  'last_update',
  'last_updated',
  'last_heartbeat',
  'heartbeat_at',
  'finished_at',
  'completed_at',
  'failed_at',
  'last_seen',
];
const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** All spellings of the deciding names, for hashes with more fields than were read. */
const SPELLINGS = [...DECISIVE_NAMES, ...TWO_WORDS.flatMap((name) => [name, camelCase(name)])];

const addDecisive = async ({ reader }: Context, key: Key, values: Map<string, string>): Promise<void> => {
  const lengths: readonly unknown[] = await reader.readMany(
    SPELLINGS.map((name) => ['HSTRLEN', key, name] as const),
  );
  const short = SPELLINGS.filter((_, i) => {
    const length = lengths[i];
    return typeof length === 'number' && length > 0 && length <= MAX_DECISIVE_BYTES;
  });
  if (short.length === 0) return;
  const found = await reader.read(['HMGET', key, ...short]);
  for (const [i, name] of short.entries()) {
    const value = found[i];
    if (value && value.length <= MAX_DECISIVE_BYTES) values.set(plainName(name), value.toString('utf8'));
  }
};

const ofHash = async (ctx: Context, key: Key): Promise<Content | null> => {
  const { fields: raw, total } = await firstFields(ctx, key, MAX_FIELDS);
  if (total === 0) return null;
  const fields = raw.map(([name, value]) => ({ name: name!, value: value! }));
  const values = valuesOf(fields);
  if (total > fields.length) await addDecisive(ctx, key, values);
  return { fields, fieldsTotal: total, values, problem: null };
};

const ofString = async ({ reader }: Context, key: Key): Promise<Content | null> => {
  const value = await reader.getString(key, MAX_JSON_BYTES);
  if (!value) return null;
  const object = jsonObject(value);
  if (object) {
    const all = [...object].map(([name, bytes]) => ({ name: cutOf(Buffer.from(name)), value: cutOf(bytes) }));
    const values = valuesOf(all);
    return { fields: all.slice(0, MAX_FIELDS), fieldsTotal: all.length, values, problem: null };
  }
  const text = value.length <= MAX_WORD_BYTES ? textOf(value.bytes) : null;
  if (text === null || !/^[\w -]+$/.test(text)) return nothing('unreadable');
  return { ...nothing(null), values: new Map([[STATUS_NAMES[0], text]]) };
};

const CONTENTS: Record<string, (ctx: Context, key: Key) => Promise<Content | null>> = {
  hash: ofHash,
  string: ofString,
};

const readContent = async (ctx: Context, key: Key, type: string): Promise<Content | null> => {
  if (type === UNREADABLE) return nothing('unreadable');
  const read = Object.hasOwn(CONTENTS, type) ? CONTENTS[type] : undefined;
  if (!read) return nothing('wrongType');
  // The key may be replaced meanwhile.
  return read(ctx, key).catch(fallbackFor(isWrongType, null));
};

/** States, in order; null for one that does not exist. Reads 50 fields of each, and the deciding ones. */
export const readStates = async (ctx: Context, keys: readonly Key[]): Promise<(StoredState | null)[]> => {
  const replies = await readEach(ctx.reader, keys, (key) => [
    ['TYPE', key],
    ['PTTL', key],
  ]);
  const now = Date.now();
  return Promise.all(
    keys.map(async (key, i): Promise<StoredState | null> => {
      const [found, pttl] = replies[i]!;
      const type = typeof found === 'string' ? found : UNREADABLE;
      if (type === 'none') return null;
      const content = await readContent(ctx, key, type);
      const expiresAt = typeof pttl === 'number' && pttl >= 0 ? now + pttl : null;
      return content && { type, expiresAt, ...content };
    }),
  );
};
