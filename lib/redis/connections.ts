import 'server-only';
import { type ConnectionConfig, env } from '@/lib/configuration';
import { processWide } from '@/lib/process-wide';
import type { ScanBudget } from './budget';
import { addressOf, type ClientState, serverAt } from './client';
import type { Key } from './commands';
import type { OwnTraffic } from './own-traffic';
import { makeReader, type Reader } from './reader';
import type { Role } from './server-facts';
import type { Shared, Topology } from './topology';
import { cluster } from './topology/cluster';
import { newShared } from './topology/node';
import { sentinel } from './topology/sentinel';
import { standalone } from './topology/standalone';

/** One configured Redis: its settings, its clients and the traffic we caused ourselves. */
export interface ConnectionHandle {
  config: ConnectionConfig;
  /** Identifies the server, regardless of the connection's database and user. */
  server: string;
  topology: Topology;
  /** That of the first primary. */
  readonly own: OwnTraffic;
  /** That of the first primary. */
  budget: ScanBudget;
  reader: Reader;
  /** The pattern of the key's family, for messages; null for an unknown family. Set by wiring. */
  patternOf(key: Key): string | null;
  /** A reader whose commands queue after scans instead of before interactive reads. */
  background: Reader;
  /** A reader that rounds no integer. Its client connects at first use. */
  exact: Reader;
  /** The last known role: `replica` if any of its servers is one. */
  role(): Role;
  /** `degraded`: some of its primaries are unreachable. */
  status(): { state: ClientState | 'degraded'; reason: string | null };
}

export const openConnection = (
  config: ConnectionConfig,
  shared = newShared(),
  topology: Topology = openTopology(config, shared),
): ConnectionHandle => {
  const parts = { id: config.id, topology, patternOf: (key: Key) => handle.patternOf(key) };
  const handle: ConnectionHandle = {
    config,
    server: serverOf(config),
    topology,
    get own() {
      return topology.primaries()[0]!.own;
    },
    get budget() {
      return topology.primaries()[0]!.budget;
    },
    set budget(budget) {
      topology.primaries()[0]!.budget = budget;
    },
    reader: makeReader(parts),
    background: makeReader(parts, 'scan'),
    exact: makeReader(parts, 'exact'),
    patternOf: () => null,
    role: () => worstRole(topology.primaries().map((node) => node.role())),
    status: () => {
      const clients = topology.primaries().map((node) => node.client('read'));
      const gone = clients.filter((client) => client.state() !== 'ready');
      // Unused clients connect now, so that the next status is up to date.
      for (const client of gone) void client.ready().catch(() => undefined);
      const worst = gone.find((client) => client.state() === 'unreachable') ?? gone[0] ?? clients[0]!;
      const isPart = worst.state() === 'unreachable' && gone.length < clients.length;
      return { state: isPart ? 'degraded' : worst.state(), reason: worst.reason() };
    },
  };
  return handle;
};

const openTopology = (config: ConnectionConfig, shared: Shared): Topology => {
  if (config.cluster) return cluster(config, shared);
  return config.sentinel ? sentinel(config, shared) : standalone(config, shared);
};

const worstRole = (roles: readonly Role[]): Role =>
  (['replica', 'unknown'] as const).find((role) => roles.includes(role)) ?? 'primary';

/**
 * Queries the role again: a server can become a replica without closing connections. Returns the last known role where
 * it does not answer.
 */
export const refreshRole = async ({ topology, role }: ConnectionHandle): Promise<Role> => {
  for (const node of topology.primaries()) {
    const client = node.client('read');
    const isReady = await client.ready().then(
      () => true,
      () => false,
    );
    if (!isReady) continue;
    await client.refreshRole();
    node.own.commands += 1;
  }
  return role();
};

/** Why the connection accepts no changes; null where it does. */
export const readOnlyReason = async (handle: ConnectionHandle): Promise<'configured' | 'replica' | null> => {
  if (handle.config.readOnly) return 'configured';
  return (await refreshRole(handle)) === 'replica' ? 'replica' : null;
};

/** The server behind a connection, regardless of database and user: counters are kept per server. */
const serverOf = ({ id, url, sentinel, cluster }: ConnectionConfig): string => {
  if (url !== null) return serverAt(addressOf(url));
  const { nodes = [] } = sentinel ?? cluster ?? {};
  return `${sentinel?.name ?? id}@${[...nodes].sort().join(',')}`;
};

/** Opens all connections. Those to databases of one server share the count of our own traffic and the scan queue. */
export const openConnections = (configs: readonly ConnectionConfig[]): Map<string, ConnectionHandle> => {
  const byServer = new Map<string, Shared>();
  return new Map(
    configs.map((config) => {
      const name = serverOf(config);
      const shared = byServer.get(name) ?? newShared();
      byServer.set(name, shared);
      return [config.id, openConnection(config, shared)];
    }),
  );
};

/** All configured connections, in the configuration's order. */
export const connections = processWide('connections', () => openConnections(env().connections));

export const closeConnections = (): void => {
  for (const handle of connections.made()?.values() ?? []) handle.topology.close();
  connections.forget();
};
