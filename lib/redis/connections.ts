import 'server-only';
import { type ConnectionConfig, env } from '@/lib/env';
import { processWide } from '@/lib/process-wide';
import { CallQueue, ScanBudget } from './budget';
import { addressOf, serverAt } from './client';
import type { Key } from './commands';
import { OwnTraffic } from './own-traffic';
import { makeReader, type Reader } from './reader';
import type { Role } from './server-facts';
import { ServerLoad } from './server-load';
import { CURSORS, readyClient, standalone, type Topology } from './topology';

/** One configured Redis: its settings, its clients and the traffic we caused ourselves. */
export interface ConnectionHandle {
  config: ConnectionConfig;
  /** Identifies the server, whatever the database and the user of the connection. */
  server: string;
  topology: Topology;
  own: OwnTraffic;
  /** Paces this process's scans. Shared by all connections to the same server. */
  budget: ScanBudget;
  reader: Reader;
  /** The pattern of the key's family, for messages; null for an unknown family. Set by wiring. */
  patternOf(key: Key): string | null;
  /** A reader whose commands queue behind scans, not before interactive reads. */
  background: Reader;
  /** The last known role: a replica if any of its servers is one. */
  role(): Role;
  status(): { state: 'ready' | 'connecting' | 'unreachable'; reason: string | null };
}

export const openConnection = (
  config: ConnectionConfig,
  own = new OwnTraffic(),
  queue = new CallQueue(),
): ConnectionHandle => {
  const topology = standalone(config);
  own.topologies.add(topology);
  const parts = { id: config.id, topology, own, patternOf: (key: Key) => handle.patternOf(key) };
  const handle: ConnectionHandle = {
    config,
    server: serverOf(config),
    topology,
    own,
    budget: new ScanBudget(config.scan, queue, new ServerLoad(() => readCpu(handle))),
    reader: makeReader(parts),
    background: makeReader(parts, 'scan'),
    patternOf: () => null,
    role: () => worstRole(topology.primaries().map((node) => node.client('read').role())),
    status: () => {
      const clients = topology.primaries().map((node) => node.client('read'));
      const worst = clients.find((client) => client.state() !== 'ready') ?? clients[0]!;
      // A client that was never used connects now, so that the next answer is up to date.
      void worst.ready().catch(() => undefined);
      return { state: worst.state(), reason: worst.reason() };
    },
  };
  return handle;
};

/** INFO's section of the processor's time, on the client of scans: of one server, as there are no clusters yet. */
export const readCpu = async ({ config, topology, own }: ConnectionHandle): Promise<string> => {
  const redis = await readyClient(config.id, topology.primaries()[0]!, CURSORS);
  const text = await redis.info('cpu');
  own.commands += 1;
  return text;
};

const worstRole = (roles: readonly Role[]): Role =>
  (['replica', 'unknown'] as const).find((role) => roles.includes(role)) ?? 'primary';

/**
 * Queries the role again: a server can become a replica without closing connections. The last known role where it does
 * not answer.
 */
export const refreshRole = async ({ topology, own, role }: ConnectionHandle): Promise<Role> => {
  for (const node of topology.primaries()) {
    const client = node.client('read');
    const isReady = await client.ready().then(
      () => true,
      () => false,
    );
    if (!isReady) continue;
    await client.refreshRole();
    own.commands += 1;
  }
  return role();
};

/** Why the connection accepts no changes; null where it does. */
export const readOnlyReason = async (handle: ConnectionHandle): Promise<'configured' | 'replica' | null> => {
  if (handle.config.readOnly) return 'configured';
  return (await refreshRole(handle)) === 'replica' ? 'replica' : null;
};

/** The server behind a connection, whatever its database and user: counters are kept per server. */
const serverOf = ({ id, url }: ConnectionConfig): string => (url === null ? id : serverAt(addressOf(url)));

/** Opens all connections. Those to databases of one server share the count of our own traffic and the scan queue. */
export const openConnections = (configs: readonly ConnectionConfig[]): Map<string, ConnectionHandle> => {
  const byServer = new Map<string, { own: OwnTraffic; queue: CallQueue }>();
  return new Map(
    configs.map((config) => {
      const name = serverOf(config);
      const server = byServer.get(name) ?? { own: new OwnTraffic(), queue: new CallQueue() };
      byServer.set(name, server);
      return [config.id, openConnection(config, server.own, server.queue)];
    }),
  );
};

/** All configured connections, in the configuration's order. */
export const connections = processWide('connections', () => openConnections(env().connections));

export const closeConnections = (): void => {
  for (const handle of connections.made()?.values() ?? []) handle.topology.close();
  connections.forget();
};
