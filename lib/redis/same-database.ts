import 'server-only';
import { lookup } from 'node:dns/promises';
import { processWide } from '@/lib/process-wide';
import { addressOf, isProcessKnown } from './client';
import type { ConnectionHandle } from './connections';

/** Pairs of ids that led to one database once: a server that restarts is another process until both are connected again. */
const found = processWide('same-databases', () => new Set<string>());
/** The address behind a host's name, by the server's text. */
const resolved = processWide('resolved-servers', () => new Map<string, string>());

const databaseOf = ({ config }: ConnectionHandle): number =>
  config.url ? (addressOf(config.url).db ?? 0) : 0;

/** What the server calls itself; none where it did not answer yet, or our user may not ask. */
const processesOf = ({ topology }: ConnectionHandle): string[] =>
  topology
    .primaries()
    .flatMap((node) => node.clients())
    .flatMap((client) => client.process() ?? [])
    .filter(isProcessKnown);

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Finds out what a host's name stands for, for servers that do not tell who they are. */
export const resolveServer = async ({ config, server }: ConnectionHandle): Promise<void> => {
  const { host, port } = addressOf(config.url ?? 'redis://');
  const address = host && (await lookup(host).catch(() => null))?.address;
  if (address) resolved().set(server, `${LOOPBACK.test(address) ? 'loopback' : address}:${port}`);
};

const addressOfServer = ({ server }: ConnectionHandle): string => resolved().get(server) ?? server;

/** Whether nobody can say if two connections lead to one server but by their addresses. */
export const isUnidentified = (a: ConnectionHandle, b: ConnectionHandle): boolean =>
  databaseOf(a) === databaseOf(b) && [a, b].some((handle) => processesOf(handle).length === 0);

/** Whether two connections lead to one database: by what its server calls itself, whatever their addresses and users are. */
export const isSameDatabase = (a: ConnectionHandle, b: ConnectionHandle): boolean => {
  if (databaseOf(a) !== databaseOf(b)) return false;
  const pair = [a.config.id, b.config.id].sort().join(' ');
  const others = processesOf(b);
  const same = isUnidentified(a, b)
    ? addressOfServer(a) === addressOfServer(b)
    : processesOf(a).some((process) => others.includes(process));
  if (same) found().add(pair);
  return same || found().has(pair);
};
