import type { Redis } from 'ioredis';

/** `count` keys `{prefix}0`, `{prefix}1`, …, each with this TTL in seconds if any; returns their names. */
export const makeKeys = async (
  redis: Redis,
  prefix: string,
  count: number,
  ttl?: number,
): Promise<string[]> => {
  const keys = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  for (let i = 0; i < keys.length; i += 5000) {
    const pipeline = redis.pipeline();
    for (const key of keys.slice(i, i + 5000)) {
      if (ttl) pipeline.set(key, `[${key}]`, 'EX', ttl);
      else pipeline.set(key, `[${key}]`);
    }
    await pipeline.exec();
  }
  return keys;
};
