import { Redis } from 'ioredis';
import type { RedisServer } from '../redis-server.mjs';

/** A client of one server, like an application's. The caller disconnects it. */
export const serverClient = async ({ url }: RedisServer, connectionName: string): Promise<Redis> => {
  const client = new Redis(url, { connectionName, retryStrategy: null });
  // The test stops its server.
  client.on('error', () => undefined);
  await client.ping();
  return client;
};
