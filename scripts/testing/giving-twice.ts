import type { TestContext } from './context';

const CURSORS = new Set<unknown>(['SCAN', 'SSCAN', 'HSCAN']);

/** Does work while the server gives elements twice, in a call and in the next one, as one may whose tables are resized. */
export const givingTwice = async <T>({ handle }: TestContext, work: () => Promise<T>): Promise<T> => {
  const [node] = handle.topology.primaries();
  const clients = [node!.client('scan').redis, node!.client('read').redis];
  for (const redis of clients) {
    const original = redis.callBuffer as (...call: unknown[]) => Promise<unknown>;
    let latest: Buffer[] = [];
    redis.callBuffer = async (...call: unknown[]) => {
      const reply = await original.apply(redis, call);
      if (!CURSORS.has(call[0])) return reply;
      const [cursor, elements] = reply as [Buffer, Buffer[]];
      const given = [...elements, ...(elements.length > 0 ? latest : []), ...elements];
      latest = cursor.equals(Buffer.from('0')) ? [] : elements.slice(-2);
      return [cursor, given];
    };
  }
  try {
    return await work();
  } finally {
    for (const redis of clients) Reflect.deleteProperty(redis, 'callBuffer');
  }
};
