import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { scalarText } from '@/lib/exact-json';
import type { Key } from '@/lib/redis/commands';
import { readScriptOnEach } from '@/lib/redis/read-script';
import { parseNested } from '@/lib/values/python-literal';
import { inBatches, readEach, readShortFields } from '@/lib/values/read-each';
import { textOf } from '@/lib/values/string-value';

/** The maximum size of a JSON value that is parsed, in bytes. */
const MAX_JSON_BYTES = 4096;
/** The maximum size of a field that is shown, in bytes. */
const MAX_FIELD_BYTES = 200;
const BATCH_SIZE = 100;

/** Some fields of one token's key, never the complete value. */
export interface TokenValue {
  /** PTTL's reply. */
  pttl: number;
  form: 'json' | 'bare' | 'large' | 'other';
  fields: (string | null)[];
}

/** A value whose form is not known yet has to be fetched and parsed. */
type Unparsed = Omit<TokenValue, 'form'> & { form: TokenValue['form'] | 'unread' };

const fromReply = (reply: unknown): Unparsed | null => {
  const [pttl, form, ...fields] = reply as [number, Buffer, ...(Buffer | number)[]];
  if (pttl === undefined) return null;
  return {
    pttl,
    form: form.toString('latin1') as Unparsed['form'],
    fields: fields.map((field) =>
      Buffer.isBuffer(field) && field.length <= MAX_FIELD_BYTES ? textOf(field) : null,
    ),
  };
};

const parseStoredHash = (bytes: Buffer, names: readonly string[]): (string | null)[] | null => {
  const value = parseNested(textOf(bytes) ?? '');
  if (typeof value !== 'object' || value === null) return null;
  const fields = new Map(Object.entries(value));
  return names.map((name) => scalarText(fields.get(name))?.slice(0, MAX_FIELD_BYTES) ?? null);
};

/** Fetches and parses the values that the script could not parse, without storing them. */
const parseUnread = async (
  ctx: ReadContext,
  keys: readonly Key[],
  values: readonly (Unparsed | null)[],
  names: readonly string[],
): Promise<(TokenValue | null)[]> => {
  const unread = keys.filter((_, i) => values[i]?.form === 'unread');
  const strings = await ctx.reader.getStrings(unread, MAX_JSON_BYTES);
  let next = 0;
  return values.map((value): TokenValue | null => {
    if (value === null) return null;
    const { pttl, form } = value;
    if (form !== 'unread') return { ...value, form };
    const string = strings[next++];
    if (!string) return null;
    const fields = string instanceof Error ? null : parseStoredHash(string.bytes, names);
    return fields ? { pttl, form: 'json', fields } : { pttl, form: 'bare', fields: [] };
  });
};

/** The same without scripts. */
const probe = async (ctx: ReadContext, keys: readonly Key[]): Promise<(Unparsed | null)[]> => {
  const replies = await readEach(ctx.reader, keys, (key) => [
    ['PTTL', key],
    ['STRLEN', key],
    ['GETRANGE', key, 0, 0],
  ]);
  return replies.map(([pttl, length, first]): Unparsed | null => {
    if (pttl instanceof Error) throw pttl;
    if (pttl === -2 || typeof pttl !== 'number') return null;
    if (typeof length !== 'number') return { pttl, form: 'other', fields: [] };
    const isObject = Buffer.isBuffer(first) && first.toString('latin1') === '{';
    return { pttl, form: !isObject ? 'bare' : length > MAX_JSON_BYTES ? 'large' : 'unread', fields: [] };
  });
};

/** Fields of string values that may be JSON or a Python dictionary; null for a key that does not exist. */
export const readJsonFields = (
  ctx: ReadContext,
  keys: readonly Key[],
  names: readonly string[],
): Promise<(TokenValue | null)[]> =>
  inBatches(keys, BATCH_SIZE, async (some) => {
    const replies = await readScriptOnEach(ctx.connection, 'json-fields', some, [MAX_JSON_BYTES, ...names]);
    return parseUnread(ctx, some, replies?.map(fromReply) ?? (await probe(ctx, some)), names);
  });

/** Short fields of hashes; null for a key that does not exist. A key of another type has no fields. */
export const readHashFields = (
  ctx: ReadContext,
  keys: readonly Key[],
  names: readonly string[],
): Promise<(TokenValue | null)[]> =>
  inBatches(keys, BATCH_SIZE, async (some) => {
    const [ttls, fields] = await Promise.all([
      ctx.reader.readMany(some.map((key) => ['PTTL', key] as const)),
      readShortFields(
        ctx.reader,
        some.map((key) => ({ key, fields: names })),
        MAX_FIELD_BYTES,
      ),
    ]);
    return ttls.map((pttl, i) => {
      if (pttl instanceof Error) throw pttl;
      const texts = fields[i]!.map((field) => (Buffer.isBuffer(field) ? textOf(field) : null));
      return pttl === -2 ? null : { pttl, form: 'other' as const, fields: texts };
    });
  });
