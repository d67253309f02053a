import type { Redis } from 'ioredis';

/** All keys of a database, or the matching ones, sorted by bytes. */
export const scanAll = async (db: Redis, match = '*'): Promise<Buffer[]> => {
  const keys: Buffer[] = [];
  for await (const page of db.scanBufferStream({ count: 1000, match })) keys.push(...(page as Buffer[]));
  return keys.sort(Buffer.compare);
};
