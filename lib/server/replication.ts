import 'server-only';
import { displayBytes } from '@/lib/keyspace/display';
import { numberOf, replicasOf } from '@/lib/redis/info';
import { roleOf } from '@/lib/redis/server-facts';
import type { Replication } from './schema';

const MAX_WORD = 100;

/** A replica chooses freely what it announces about itself. */
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

/** From the fields of INFO. */
export const replicationOf = (fields: ReadonlyMap<string, string>): Replication => {
  const offset = numberOf(fields, 'master_repl_offset');
  const primary = primaryOf(fields);
  return {
    role: roleOf(fields.get('role')),
    offset: primary ? numberOf(fields, 'slave_repl_offset') : offset,
    backlogBytes: numberOf(fields, 'repl_backlog_size'),
    primary,
    replicas: replicasOf(fields).map(({ address, state, offset: confirmed, lagSeconds }) => ({
      address: shown(address),
      state: shown(state),
      lagSeconds,
      behindBytes: offset === null || confirmed === null ? null : Math.max(0, offset - confirmed),
    })),
  };
};
