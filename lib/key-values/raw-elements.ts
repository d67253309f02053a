import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Purpose } from '@/lib/redis/client';
import type { Arg, Key } from '@/lib/redis/commands';
import { isNotPermitted } from '@/lib/redis/failure';
import { readScript } from '@/lib/redis/read-script';
import type { CollectionScan } from '@/lib/redis/reader';
import { CURSORS } from '@/lib/redis/topology';
import { type Cut, cutOf, MAX_ELEMENT_BYTES } from './etag';

/** An element in parts: field and value, member and score, value, or id, then fields and values. */
export type RawElement = Cut[];

export interface ElementContext extends Pick<ReadContext, 'connection' | 'reader'> {
  /** That of a background pass, for scripts; its `reader` has one of its own. */
  purpose?: Purpose;
  /** Bytes of a part that scripts answer; 8 KiB by default. */
  maxBytes?: number;
  /** Bytes of a field or member; as many as of another part by default. */
  maxNameBytes?: number;
}

/** A longer value is not loaded, where the server can tell its length first. */
const MAX_LOADED_BYTES = 2 ** 20;
/** Elements of one call without scripts: they are sent completely. */
const MAX_WHOLE_ELEMENTS = 20;

/** Bytes that a page reads, judged by the mean size of an element. */
const MAX_PAGE_BYTES = 2 * 2 ** 20;

/** Fewer elements of a collection whose elements are large. */
export const fewerIfLarge = (limit: number, length: number, memoryBytes: number | null): number => {
  const mean = Math.max(1, (memoryBytes ?? 0) / Math.max(1, length));
  return Math.max(1, Math.min(limit, Math.floor(MAX_PAGE_BYTES / mean)));
};

/** The length of a collection, and how many of `limit` elements are read. Throws the server's WRONGTYPE. */
export const measureElements = async (
  { reader }: Pick<ReadContext, 'reader'>,
  key: Key,
  how: 'LLEN' | 'ZCARD' | 'XLEN',
  limit: number,
): Promise<{ length: number; count: number }> => {
  try {
    const [length, memory] = await reader.readMany([
      [how, key],
      ['MEMORY USAGE', key],
    ]);
    if (typeof length !== 'number') throw length;
    return { length, count: fewerIfLarge(limit, length, typeof memory === 'number' ? memory : null) };
  } catch (error) {
    // Our user may not ask for memory; scripts cut large elements all the same.
    if (!isNotPermitted(error)) throw error;
    return { length: await reader.read([how, key]), count: limit };
  }
};

const cutsOf = (flat: readonly (Buffer | number)[]): RawElement =>
  Array.from({ length: flat.length / 2 }, (_, i) => ({
    bytes: flat[2 * i] as Buffer,
    length: flat[2 * i + 1] as number,
  }));

type How =
  | CollectionScan
  | 'FIELDS'
  | 'LRANGE'
  | 'ZRANGE'
  | 'XRANGE'
  | 'XREVRANGE'
  | 'VRANDMEMBER'
  | 'VGETATTR';

/** Null where the server has no read-only scripts. */
const byScript = async (
  {
    connection,
    purpose: own = 'read',
    maxBytes = MAX_ELEMENT_BYTES,
    maxNameBytes = maxBytes,
  }: ElementContext,
  key: Key,
  how: How,
  [from, count, match = '']: readonly [from: Arg, count: number, match?: Arg],
): Promise<{ cursor: string; elements: RawElement[] } | null> => {
  const purpose = how.endsWith('SCAN') ? CURSORS : own;
  const args = [how, from, count, maxBytes, MAX_LOADED_BYTES, match, maxNameBytes];
  const reply = await readScript(connection, 'read-elements', [key], args, purpose);
  if (!reply) return null;
  const [cursor, ...elements] = reply as [Buffer, ...(Buffer | number)[][]];
  return { cursor: cursor.toString('latin1'), elements: elements.map(cutsOf) };
};

const divide = (
  { maxNameBytes = MAX_ELEMENT_BYTES }: ElementContext,
  parts: readonly Buffer[],
  how: CollectionScan | 'LRANGE' | 'ZRANGE',
): RawElement[] => {
  const each = how === 'SSCAN' || how === 'LRANGE' ? 1 : 2;
  return Array.from({ length: parts.length / each }, (_, i) => {
    const element = parts.slice(i * each, (i + 1) * each).map(cutOf);
    const name = parts[i * each]!;
    if (how !== 'LRANGE') element[0] = { bytes: name.subarray(0, maxNameBytes), length: name.length };
    return element;
  });
};

/** A chunk of a hash, set or sorted set by the server's cursor. */
export const scanElements = async (
  ctx: ElementContext,
  key: Key,
  how: CollectionScan,
  cursor: string,
  count: number,
  match?: Arg,
): Promise<{ cursor: string; elements: RawElement[] }> => {
  const found = await byScript(ctx, key, how, [cursor, count, match]);
  if (found) return found;
  const few = match === undefined ? Math.min(count, MAX_WHOLE_ELEMENTS) : count;
  const page = await ctx.reader.scanCollection(how, key, cursor, {
    count: few,
    ...(match !== undefined && { match }),
  });
  return { cursor: page.cursor, elements: divide(ctx, page.elements, how) };
};

/** Elements of a list, or of a sorted set by rank. */
export const rangeOfElements = async (
  ctx: ElementContext,
  key: Key,
  how: 'LRANGE' | 'ZRANGE',
  from: number,
  count: number,
): Promise<RawElement[]> => {
  const found = await byScript(ctx, key, how, [from, count]);
  if (found) return found.elements;
  return divide(ctx, await ctx.reader.range(how, key, from, count), how);
};

/** Entries of a stream behind an id, or before it, newest first; `''` begins at the end of the stream. */
export const readEntries = async (
  ctx: ElementContext,
  key: Key,
  after: string,
  count: number,
  how: 'XRANGE' | 'XREVRANGE' = 'XRANGE',
): Promise<RawElement[]> => {
  const found = await byScript(ctx, key, how, [after, count]);
  if (found) return found.elements;
  const [begin, end] = how === 'XRANGE' ? ['-', '+'] : ['+', '-'];
  const entries = await ctx.reader.read([
    how,
    key,
    after === '' ? begin! : `(${after}`,
    end!,
    'COUNT',
    count,
  ]);
  return entries.map(([id, parts]) => [id, ...parts].map(cutOf));
};

/** The fields of a small hash in order, from an index. Null where the server has no read-only scripts. */
export const readFields = async (
  ctx: ElementContext,
  key: Key,
  from: number,
  count: number,
): Promise<RawElement[] | null> => (await byScript(ctx, key, 'FIELDS', [from, count]))?.elements ?? null;

/** Names of elements of a vector set, chosen at random. Null where the server has no read-only scripts. */
export const sampleOfVectors = async (
  ctx: ElementContext,
  key: Key,
  count: number,
): Promise<RawElement[] | null> => (await byScript(ctx, key, 'VRANDMEMBER', [0, count]))?.elements ?? null;

/** The JSON that is attached to an element of a vector set. Null without, and where there are no read-only scripts. */
export const readAttributes = async (ctx: ElementContext, key: Key, element: Buffer): Promise<Cut | null> =>
  (await byScript(ctx, key, 'VGETATTR', [element, 1]))?.elements[0]?.[0] ?? null;
