import 'server-only';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { processWide } from '@/lib/process-wide';
import { addressOf, endpointOf, isProcessKnown } from './client';
import type { ConnectionHandle } from './connections';

/**
 * Pairs of ids that once led to the same database: during a restart the two connections see different processes until
 * both have reconnected.
 */
const knownPairs = processWide('same-databases', () => new Set<string>());
/** Resolved addresses of servers, by host and port as configured or named by Sentinels. */
const resolved = processWide('resolved-servers', () => new Map<string, string>());

const databaseOf = ({ config }: ConnectionHandle): number =>
  config.url ? (addressOf(config.url).db ?? 0) : 0;

/** The `run_id`s of the servers; empty where they have not answered or our user may not read them. */
const processesOf = ({ topology }: ConnectionHandle): string[] =>
  topology
    .primaries()
    .flatMap((node) => node.clients())
    .flatMap((client) => client.process() ?? [])
    .filter(isProcessKnown);

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

const addressAt = (host: string, port: number): string =>
  `${LOOPBACK.test(host) ? 'loopback' : host}:${port}`;

/** `host:port` or the path of a socket; behind Sentinels the latest primary's. */
const placeOf = ({ topology }: ConnectionHandle): string => topology.primaries()[0]!.id;

/** Resolves the host name, for servers without a known process. */
export const resolveServer = async (handle: ConnectionHandle): Promise<void> => {
  const place = placeOf(handle);
  if (place.startsWith('/')) return;
  const { host, port } = endpointOf(place);
  const resolvedHost = await lookup(host).catch(() => null);
  if (resolvedHost) resolved().set(place, addressAt(resolvedHost.address, port));
};

const addressOfServer = (handle: ConnectionHandle): string => {
  const place = placeOf(handle);
  const { host, port } = endpointOf(place);
  return resolved().get(place) ?? (isIP(host) ? addressAt(host, port) : place);
};

/** Whether both lead to a cluster with a primary at the same address: their lists may be incomplete or differ. */
const isSameCluster = (...both: readonly [ConnectionHandle, ConnectionHandle]): boolean => {
  if (!both.every(({ topology }) => topology.kind === 'cluster')) return false;
  const [some, others] = both.map(({ topology }) => topology.primaries().map(({ id }) => id));
  return some!.some((place) => others!.includes(place));
};

/** Whether only addresses can tell if two connections lead to the same server. */
export const isUnidentified = (a: ConnectionHandle, b: ConnectionHandle): boolean =>
  databaseOf(a) === databaseOf(b) && [a, b].some((handle) => processesOf(handle).length === 0);

/**
 * Whether two connections lead to the same database, by the server's `run_id` where known, otherwise by address; for
 * clusters also by the addresses of the primaries.
 */
export const isSameDatabase = (a: ConnectionHandle, b: ConnectionHandle): boolean => {
  if (databaseOf(a) !== databaseOf(b)) return false;
  const pair = [a.config.id, b.config.id].sort().join(' ');
  const others = processesOf(b);
  const isSameServer = isUnidentified(a, b)
    ? addressOfServer(a) === addressOfServer(b)
    : processesOf(a).some((process) => others.includes(process));
  const same = isSameServer || isSameCluster(a, b);
  if (same) knownPairs().add(pair);
  return same || knownPairs().has(pair);
};
