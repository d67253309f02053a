import type { Redis } from 'ioredis';

/** All keys of a database, sorted by their bytes. */
export const scanAll = async (db: Redis): Promise<Buffer[]> => {
  const keys: Buffer[] = [];
  for await (const page of db.scanBufferStream({ count: 1000 })) keys.push(...(page as Buffer[]));
  return keys.sort(Buffer.compare);
};
