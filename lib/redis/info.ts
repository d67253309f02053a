import 'server-only';
import { type Role, roleOf } from './server-facts';

/** The fields of INFO the console uses, of one node, in the server's own units. */
export interface ServerInfo {
  runId: string;
  role: Role;
  /** The replicas a primary lists, in its order. */
  replicas: ReplicaInfo[];
  product: 'redis' | 'valkey';
  version: string;
  uptimeSeconds: number;
  hits: number;
  misses: number;
  commands: number;
  evicted: number;
  expired: number;
  netInBytes: number;
  netOutBytes: number;
  usedMemoryBytes: number;
  maxMemoryBytes: number;
  maxMemoryPolicy: string;
  aofEnabled: boolean;
  connectedClients: number;
  /** Number of keys in the connection's own database. */
  keys: number;
  keysWithTtl: number;
  /** Round trip of the INFO call, ms. */
  latencyMs: number;
}

export const parseInfo = (text: string): Map<string, string> => {
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && line[0] !== '#') fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
};

/** A number of INFO; null where the server does not report it. */
export const numberOf = (fields: ReadonlyMap<string, string>, name: string): number | null => {
  const text = fields.get(name);
  const value = text === undefined || text === '' ? Number.NaN : Number.parseFloat(text);
  return Number.isFinite(value) ? value : null;
};

const MAX_REPLICAS = 100;

/**
 * What a primary reports about a replica. Address and state come from the replica itself: escape them before showing
 * them.
 */
export interface ReplicaInfo {
  address: string;
  state: string;
  /** The offset the replica confirmed, in the primary's replication stream. */
  offset: number | null;
  /** Seconds since the replica's last confirmation. */
  lagSeconds: number | null;
}

/** `ip=10.0.0.2,port=6379,state=online,offset=1234,lag=0`. */
const replicaOf = (value: string): ReplicaInfo => {
  const fields = new Map(
    value.split(',').map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  return {
    address: `${fields.get('ip')}:${fields.get('port')}`,
    state: fields.get('state') ?? '',
    offset: numberOf(fields, 'offset'),
    lagSeconds: numberOf(fields, 'lag'),
  };
};

export const replicasOf = (fields: ReadonlyMap<string, string>): ReplicaInfo[] =>
  [...fields]
    .filter(([name]) => /^slave\d+$/.test(name))
    .slice(0, MAX_REPLICAS)
    .map(([, value]) => replicaOf(value));

const keyspaceOf = (fields: Map<string, string>, db: number): { keys: number; keysWithTtl: number } => {
  const match = /keys=(\d+),expires=(\d+)/.exec(fields.get(`db${db}`) ?? '');
  return { keys: Number(match?.[1] ?? 0), keysWithTtl: Number(match?.[2] ?? 0) };
};

export const toServerInfo = (text: string, db: number, latencyMs: number): ServerInfo => {
  const fields = parseInfo(text);
  const number = (name: string): number => Number(fields.get(name) ?? 0) || 0;
  const valkey = fields.get('valkey_version');
  return {
    runId: fields.get('run_id') ?? '',
    role: roleOf(fields.get('role')),
    replicas: replicasOf(fields),
    product: valkey ? 'valkey' : 'redis',
    version: valkey ?? fields.get('redis_version') ?? '',
    uptimeSeconds: number('uptime_in_seconds'),
    hits: number('keyspace_hits'),
    misses: number('keyspace_misses'),
    commands: number('total_commands_processed'),
    evicted: number('evicted_keys'),
    expired: number('expired_keys'),
    netInBytes: number('total_net_input_bytes'),
    netOutBytes: number('total_net_output_bytes'),
    usedMemoryBytes: number('used_memory'),
    maxMemoryBytes: number('maxmemory'),
    maxMemoryPolicy: fields.get('maxmemory_policy') ?? 'noeviction',
    aofEnabled: fields.get('aof_enabled') === '1',
    connectedClients: number('connected_clients'),
    ...keyspaceOf(fields, db),
    latencyMs,
  };
};
