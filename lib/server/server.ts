import 'server-only';
import { catalogOf, type ReadOf } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import { displayBytes } from '@/lib/keyspace/display';
import { mustStay } from '@/lib/keyspace/guarded';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { type FromPrimaries, fromPrimaries, nameBesideOthers } from '@/lib/redis/each-primary';
import { numberOf, parseInfo } from '@/lib/redis/info';
import { judgeMemoryLimit } from '@/lib/redis/limits';
import { judgePersistence } from '@/lib/redis/persistence';
import { findingsOf, type Optional, readSection } from '@/lib/redis/section';
import { readSave, readServer, readSetting, type ServerSetting } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import type { Node } from '@/lib/redis/topology';
import { iso, isoOrNull, MINUTE, SECOND } from '@/lib/time';
import { replicationOf } from './replication';
import type { ServerSections, serverContracts } from './schema';

const SHARED_MS = 2 * SECOND;
const RECENT_SECONDS = (10 * MINUTE) / SECOND;
const MAX_BEHIND_SECONDS = 10;
const MAX_ERROR_KINDS = 50;
const MAX_DOCTOR = 4000;
const MAX_WORD = 60;

export type Fields = ReadonlyMap<string, string>;

const wordOf = (fields: Fields, name: string): string | null => fields.get(name)?.slice(0, 200) || null;
const isOn = (fields: Fields, name: string): boolean => (numberOf(fields, name) ?? 0) > 0;

const processOf = (fields: Fields) => {
  const valkey = fields.get('valkey_version');
  const uptimeSeconds = numberOf(fields, 'uptime_in_seconds');
  return {
    figures: {
      product: valkey ? ('valkey' as const) : ('redis' as const),
      version: valkey ?? fields.get('redis_version') ?? '',
      mode: wordOf(fields, 'redis_mode') ?? wordOf(fields, 'server_mode'),
      uptimeSeconds,
      runId: wordOf(fields, 'run_id'),
      processId: numberOf(fields, 'process_id'),
      port: numberOf(fields, 'tcp_port'),
      os: wordOf(fields, 'os'),
      architectureBits: numberOf(fields, 'arch_bits'),
      ioThreads: numberOf(fields, 'io_threads_active'),
      clients: numberOf(fields, 'connected_clients'),
      blockedClients: numberOf(fields, 'blocked_clients'),
    },
    findings: findingsOf({ restarted: uptimeSeconds !== null && uptimeSeconds < RECENT_SECONDS }),
  };
};

const persistenceOf = (fields: Fields, save: string | null, catalog: Registry) => {
  const savedAt = numberOf(fields, 'rdb_last_save_time');
  const figures = {
    loading: isOn(fields, 'loading'),
    saving: isOn(fields, 'rdb_bgsave_in_progress'),
    lastSaveAt: isoOrNull(savedAt && savedAt * SECOND),
    lastSaveStatus: wordOf(fields, 'rdb_last_bgsave_status'),
    changesSinceSave: numberOf(fields, 'rdb_changes_since_last_save'),
    lastForkMicros: numberOf(fields, 'latest_fork_usec'),
    aofEnabled: isOn(fields, 'aof_enabled'),
    aofRewriting: isOn(fields, 'aof_rewrite_in_progress'),
    aofLastRewriteStatus: wordOf(fields, 'aof_last_bgrewrite_status'),
    aofLastWriteStatus: wordOf(fields, 'aof_last_write_status'),
    aofBytes: numberOf(fields, 'aof_current_size'),
    save,
  };
  const { faults, isKnown } = judgePersistence({ info: fields, save, mustStay: mustStay(catalog) });
  return {
    figures,
    findings: [...(figures.loading ? (['loading'] as const) : []), ...faults],
    cause: isKnown ? null : ('notPermitted' as const),
  };
};

/** A script may return any word as the code of its error. */
const kindOf = (name: string): string =>
  maskSecrets(displayBytes(Buffer.from(name.slice('errorstat_'.length)), MAX_WORD), true);

const countersOf = (fields: Fields) => {
  const counts = new Map<string, number>();
  for (const [name, value] of fields) {
    const count = /^count=(\d+)/.exec(value)?.[1];
    if (!name.startsWith('errorstat_') || !count) continue;
    const kind = kindOf(name);
    counts.set(kind, (counts.get(kind) ?? 0) + Number(count));
  }
  const errors = [...counts].map(([kind, count]) => ({ kind, count }));
  const rejectedConnections = numberOf(fields, 'rejected_connections');
  return {
    figures: {
      connections: numberOf(fields, 'total_connections_received'),
      rejectedConnections,
      commands: numberOf(fields, 'total_commands_processed'),
      errorReplies: numberOf(fields, 'total_error_replies'),
      errors: errors.sort((a, b) => b.count - a.count).slice(0, MAX_ERROR_KINDS),
    },
    findings: findingsOf({ rejected: (rejectedConnections ?? 0) > 0 }),
  };
};

/** Problems begin with these words (`getMemoryDoctorReport` in Redis). */
const ADVICE = /^Sam, I detected/;

/** Codes of a server that answers, but not this command: a replica without its primary still answers INFO. */
const NO_ANSWER: readonly string[] = ['replica', 'loading', 'busy'];

/** The text of MEMORY DOCTOR, or why it is unknown: the rest of the page does not depend on it. */
const readDoctor = async (connection: ConnectionHandle, node: Node, optional: Optional) => {
  try {
    const reply = await optional(readServer(connection, node, ['MEMORY', 'DOCTOR']));
    if (reply === null) return { doctor: null, cause: 'notPermitted' as const };
    return { doctor: String(reply).slice(0, MAX_DOCTOR) };
  } catch (error) {
    if (!(error instanceof Problem) || !NO_ANSWER.includes(error.code)) throw error;
    return { doctor: null, cause: 'noAnswer' as const, reason: error.message };
  }
};

const readAll = async (connection: ConnectionHandle, node: Node): Promise<ServerSections> => {
  const reading = readServer(connection, node, ['INFO']).then((reply) => parseInfo(String(reply)));
  // Each section reports its own failure.
  reading.catch(() => undefined);
  const [process, replication, persistence, memory, counters, settings] = await Promise.all([
    readSection(async () => processOf(await reading)),
    readSection(async () => {
      const figures = replicationOf(await reading);
      const { primary, replicas } = figures;
      return {
        figures,
        findings: findingsOf({
          linkDown: primary !== null && primary.link !== 'up',
          replicaBehind: replicas.some(({ lagSeconds }) => (lagSeconds ?? 0) > MAX_BEHIND_SECONDS),
        }),
      };
    }),
    readSection(async (optional) => {
      const save = await optional(readSave(connection, node));
      return persistenceOf(await reading, save, catalogOf(connection));
    }),
    readSection(async (optional) => {
      const fields = await reading;
      const { doctor, ...unknown } = await readDoctor(connection, node, optional);
      const figures = {
        usedBytes: numberOf(fields, 'used_memory'),
        peakBytes: numberOf(fields, 'used_memory_peak'),
        rssBytes: numberOf(fields, 'used_memory_rss'),
        fragmentationRatio: numberOf(fields, 'mem_fragmentation_ratio'),
        doctor,
      };
      return { figures, findings: findingsOf({ advice: ADVICE.test(doctor ?? '') }), ...unknown };
    }),
    readSection(async () => countersOf(await reading)),
    readSection(async (optional) => {
      const fields = await optional(reading);
      const number = (name: string): number | null => fields && numberOf(fields, name);
      const setting = (name: ServerSetting) => optional(readSetting(connection, node, name));
      const figures = {
        slowLogMicros: await setting('slowlog-log-slower-than'),
        slowLogMaxLength: await setting('slowlog-max-len'),
        latencyMonitorMs: await setting('latency-monitor-threshold'),
        maxClients: number('maxclients') ?? (await setting('maxclients')),
        maxMemoryBytes: number('maxmemory'),
        policy: fields && wordOf(fields, 'maxmemory_policy'),
        readOnly: connection.config.readOnly
          ? ('configured' as const)
          : node.role() === 'replica'
            ? ('replica' as const)
            : null,
      };
      const { slowLogMicros, latencyMonitorMs } = figures;
      return {
        figures,
        cause: slowLogMicros === null || latencyMonitorMs === null ? ('notPermitted' as const) : null,
        findings: [
          ...findingsOf({
            slowLogOff: (slowLogMicros ?? 0) < 0,
            latencyMonitorOff: latencyMonitorMs === 0,
          }),
          ...(fields ? judgeMemoryLimit(fields, mustStay(catalogOf(connection))) : []),
        ],
      };
    }),
  ]);
  return { process, replication, persistence, memory, counters, settings };
};

type Reading = { at: number } & FromPrimaries<ServerSections>;

const shared = sharedAnswer<Reading>('server', SHARED_MS);

const attentionIn = (sections: ServerSections): number =>
  Object.values(sections).filter(({ state }) => state === 'attention').length;

/** server.get */
export const getServer: ReadOf<typeof serverContracts.get> = async ({ connection, now }, { node }) => {
  const { at, answers, missing } = await shared.of(connection, async () => ({
    at: now(),
    ...(await fromPrimaries(connection, (node) => readAll(connection, node))),
  }));
  const shown = node === undefined ? answers[0] : answers.find((answer) => answer.node.id === node);
  if (!shown) throw notFound('A primary that answers at this address');
  return {
    at: iso(at),
    node: nameBesideOthers(connection, shown.node),
    sections: shown.value,
    nodes: answers.map((answer) => ({ node: answer.node.id, attention: attentionIn(answer.value) })),
    missingNodes: missing,
  };
};
