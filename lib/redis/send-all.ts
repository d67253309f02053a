import 'server-only';
import type { Redis } from 'ioredis';

export type Call = readonly [string, ...string[]];

/** Sends calls in one round trip, one after the other. Returns the error or reply of each. */
export const sendAll = async (redis: Redis, calls: readonly Call[]): Promise<[Error | null, unknown][]> => {
  const pipeline = redis.pipeline();
  for (const [name, ...args] of calls) pipeline.call(name, ...args);
  return (await pipeline.exec()) ?? [];
};
