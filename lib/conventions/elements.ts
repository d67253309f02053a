import 'server-only';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted, isRefusal } from '@/lib/redis/failure';
import type { KeyFacts } from './rule';

const ELEMENTS = 5;
/** Larger collections are not read. The server measures the first elements, so none of them exceeds this. */
const MAX_BYTES = 64 * 1024;

const EQUALS = Buffer.from('=');

type Collection = Pick<KeyFacts, 'key' | 'type' | 'length' | 'memoryBytes'>;

/** Whether the first elements of a collection can be read cheaply. A set's order differs from that of SSCAN. */
export const hasSmallElements = ({ type, length, memoryBytes }: Collection): boolean =>
  memoryBytes !== null &&
  memoryBytes <= MAX_BYTES &&
  (['list', 'zset', 'stream'].includes(type) || (type === 'set' && length !== null && length <= ELEMENTS));

const read = async ({ background }: ConnectionHandle, key: Key, type: string): Promise<Buffer[]> => {
  if (type === 'list') return background.range('LRANGE', key, 0, ELEMENTS);
  if (type === 'set')
    return (await background.scanCollection('SSCAN', key, '0', { count: ELEMENTS })).elements;
  if (type === 'zset')
    return (await background.range('ZRANGE', key, 0, ELEMENTS)).filter((_, i) => i % 2 === 0);
  const entries = await background.read(['XRANGE', key, '-', '+', 'COUNT', 1]);
  return entries.flatMap(([, fields]) =>
    fields.flatMap((name, i) => (i % 2 === 0 ? [Buffer.concat([name, EQUALS, fields[i + 1]!])] : [])),
  );
};

/** The first elements of a collection, or `field=value` of a stream's first entry; an error where that is refused. */
export const firstElements = async (
  handle: ConnectionHandle,
  { key, type }: Collection,
): Promise<Buffer[] | Error> => {
  try {
    return await read(handle, key, type);
  } catch (error) {
    if (isNotPermitted(error)) return error as Error;
    // The key's type has just changed.
    if (isRefusal(error)) return [];
    throw error;
  }
};
