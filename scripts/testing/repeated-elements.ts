import { script } from '@/lib/redis/scripts';
import type { TestContext } from './context';

/** Positions of the next cursor and the elements in the replies of scanning scripts. */
const SCRIPTED = new Map([
  [script('find-sessions').sha, { cursor: 3, elements: 5 }],
  [script('stale-entries').sha, { cursor: 2, elements: 4 }],
]);
const CURSORS = new Set<unknown>(['SCAN', 'SSCAN', 'HSCAN']);

/** Runs `work` while the server returns elements twice, in one call and in the next, as may happen during a resize. */
export const withRepeatedElements = async <T>(
  { handle }: TestContext,
  work: () => Promise<T>,
): Promise<T> => {
  const [node] = handle.topology.primaries();
  const clients = [node!.client('scan').redis, node!.client('read').redis];
  for (const redis of clients) {
    const original = redis.callBuffer as (...call: unknown[]) => Promise<unknown>;
    const latest = new Map<string, Buffer[]>();
    redis.callBuffer = async (...call: unknown[]) => {
      const reply = await original.apply(redis, call);
      const [first, ...rest] = (call[1] as unknown[]).map(String);
      const isPlain = CURSORS.has(call[0]);
      const place = call[0] === 'EVALSHA_RO' ? SCRIPTED.get(first!) : undefined;
      if (!isPlain && !place) return reply;
      // Repeats belong to the same script and, for cursors of a key, to the same key.
      const keys = isPlain ? [] : rest.slice(1, 1 + (Number(rest[0]) || 0));
      const scope = call[0] === 'SCAN' ? 'SCAN' : [first, ...keys].join();
      const twice = (cursor: Buffer, elements: Buffer[]): Buffer[] => {
        const given = [...elements, ...(elements.length > 0 ? (latest.get(scope) ?? []) : []), ...elements];
        latest.set(scope, cursor.equals(Buffer.from('0')) ? [] : elements.slice(-2));
        return given;
      };
      if (!place) {
        const [cursor, elements] = reply as [Buffer, Buffer[]];
        return [cursor, twice(cursor, elements)];
      }
      const parts = reply as Buffer[];
      const head = parts.slice(0, place.elements);
      return [...head, ...twice(parts[place.cursor]!, parts.slice(place.elements))];
    };
  }
  try {
    return await work();
  } finally {
    for (const redis of clients) Reflect.deleteProperty(redis, 'callBuffer');
  }
};
