import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import { numberOf } from '@/lib/redis/info';
import type { Replication } from './schema';

const MAX_REPLICAS = 100;
const MAX_WORD = 100;

/** What a replica announces of itself is its own choice. */
const shown = (text: string | undefined): string => displayBytes(Buffer.from(text ?? ''), MAX_WORD);

const primaryOf = (fields: ReadonlyMap<string, string>): Replication['primary'] => {
  const host = fields.get('master_host');
  if (host === undefined) return null;
  return {
    address: shown(`${host}:${fields.get('master_port')}`),
    link: shown(fields.get('master_link_status')),
    downSeconds: numberOf(fields, 'master_link_down_since_seconds'),
    lastIoSeconds: numberOf(fields, 'master_last_io_seconds_ago'),
    syncing: fields.get('master_sync_in_progress') === '1',
  };
};

/** `ip=10.0.0.2,port=6379,state=online,offset=1234,lag=0`. */
const replicaOf = (value: string, offset: number | null): Replication['replicas'][number] => {
  const fields = new Map(
    value.split(',').map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  const confirmed = numberOf(fields, 'offset');
  return {
    address: shown(`${fields.get('ip')}:${fields.get('port')}`),
    state: shown(fields.get('state')),
    lagSeconds: numberOf(fields, 'lag'),
    behindBytes: offset === null || confirmed === null ? null : Math.max(0, offset - confirmed),
  };
};

const roleOf = (word: string | undefined): Replication['role'] => {
  if (word === 'master') return 'primary';
  return word === 'slave' ? 'replica' : 'unknown';
};

/** From the fields of INFO. */
export const replicationOf = (fields: ReadonlyMap<string, string>): Replication => {
  const offset = numberOf(fields, 'master_repl_offset');
  const primary = primaryOf(fields);
  return {
    role: roleOf(fields.get('role')),
    offset: primary ? numberOf(fields, 'slave_repl_offset') : offset,
    backlogBytes: numberOf(fields, 'repl_backlog_size'),
    primary,
    replicas: [...fields]
      .filter(([name]) => /^slave\d+$/.test(name))
      .slice(0, MAX_REPLICAS)
      .map(([, value]) => replicaOf(value, offset)),
  };
};
