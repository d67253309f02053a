import 'server-only';
import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { processWide } from '@/lib/process-wide';
import { clientFields } from './client-line';

/** A connection of this process to a Redis, as the server lists it. */
export interface OwnConnection {
  /** Its address, as configured or as Sentinels name it. */
  server: string;
  /** The server's `run_id`; null where our user may not read it. */
  process: string | null;
  /** The id of the client; null until the server reports it, and where it does not. */
  id: string | null;
  /** The addresses of our socket, until the server reports the one it sees. */
  addresses: readonly string[];
  /** Epoch ms; `until` is infinite while it is open. */
  from: number;
  until: number;
}

/** Ended connections are remembered: a slow log names clients that have left. */
const MAX_ENDED = 1000;

export const ownConnections = processWide('own connections', () => ({
  open: new Set<OwnConnection>(),
  ended: [] as OwnConnection[],
}));

/** The addresses of a socket, in the server's notation. */
const addressesOf = (socket: Socket | undefined): string[] => {
  if (!socket?.localAddress || !socket.localPort) return [];
  const { localAddress, localPort } = socket;
  return [`${localAddress}:${localPort}`, `[${localAddress}]:${localPort}`];
};

/** Records a new connection until it ends. */
export const recordConnection = (redis: Redis, server: string): OwnConnection => {
  const { open, ended } = ownConnections();
  const { stream } = redis as unknown as { stream?: Socket };
  const connection: OwnConnection = {
    server,
    process: null,
    id: null,
    addresses: addressesOf(stream),
    from: Date.now(),
    until: Number.POSITIVE_INFINITY,
  };
  open.add(connection);
  redis.once('close', () => {
    connection.until = Date.now();
    open.delete(connection);
    ended.push(connection);
    if (ended.length > MAX_ENDED) ended.shift();
  });
  return connection;
};

/** Reads how the server lists the connection. Where the server does not report it, its id stays unknown. */
export const identify = async (redis: Redis, connection: OwnConnection): Promise<void> => {
  const line = await redis.call('CLIENT', 'INFO').catch(() => null);
  if (line === null) return;
  const fields = clientFields(String(line).trim());
  connection.id = fields.get('id') ?? null;
  connection.addresses = [fields.get('addr') ?? []].flat();
};
