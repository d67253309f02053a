import 'server-only';

/** The fields of INFO the console uses, of one node, in the server's own units. */
export interface ServerInfo {
  runId: string;
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
  /** Of the connection's own database. */
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
