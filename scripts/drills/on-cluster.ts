import { Redis } from 'ioredis';
import type { Cluster } from '../cluster.mjs';
import { type Copy, copyOf } from './keys';

/** Runs `work` with a client of each primary of a cluster. */
export const onPrimaries = async <T>(
  cluster: Cluster,
  work: (client: Redis, isHere: (key: string) => boolean) => Promise<T>,
): Promise<T[]> => {
  const primaries = await cluster.primaries();
  return Promise.all(
    primaries.map(async (server) => {
      const ranges = await cluster.slotsOf(server);
      const client = new Redis(server.url);
      client.on('error', () => undefined);
      try {
        return await work(client, (key) => {
          const slot = cluster.slotOf(key);
          return ranges.some(([first, last]) => slot >= first && slot <= last);
        });
      } finally {
        client.disconnect();
      }
    }),
  );
};

/** The keys of all primaries. Throws where two of them have the same key. */
export const copyOfCluster = async (cluster: Cluster, match = '*'): Promise<Copy> => {
  const copy: Copy = new Map();
  for (const part of await onPrimaries(cluster, (client) => copyOf(client, match)))
    for (const [key, copied] of part) {
      if (copy.has(key)) throw new Error(`two primaries have ${key}`);
      copy.set(key, copied);
    }
  return copy;
};

export const sizeOfCluster = async (cluster: Cluster): Promise<number> =>
  (await onPrimaries(cluster, (client) => client.dbsize())).reduce((sum, size) => sum + size, 0);
