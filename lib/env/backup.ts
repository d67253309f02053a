import 'server-only';
import { systemActor } from '@/lib/actor';
import { appendEvent, type Ending } from '@/lib/audit/log';
import { type ReadContext, type RecordedReadContext, readContext } from '@/lib/command/context';
import { defineCommand, defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { logBroken } from '@/lib/log';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { iso, MINUTE } from '@/lib/time';
import { sealFile } from './backup-file';
import { takeSnapshot, writeSnapshot } from './payload';
import { readAll } from './plaintext';
import { type Backup, envContracts } from './schema';
import { storeBackup, storedBackups } from './stored-backups';

/** Total bytes of values in a backup file: base64-encoded twice, it still fits into a restore request. */
const MAX_FILE_BYTES = 8 * 2 ** 20;

const fileNameOf = (connection: string, now: number): string =>
  `${connection}-variables-${iso(now).slice(0, 19).replaceAll(':', '')}Z.kwbackup`;

const backUp = async (ctx: RecordedReadContext, { passphrase }: Input<typeof envContracts.backup>) => {
  const { variables, skipped } = await readAll(ctx, MAX_FILE_BYTES);
  const { id } = ctx.connection.config;
  const now = ctx.now();
  const file = await sealFile(writeSnapshot(takeSnapshot(id, now, variables, skipped)), passphrase);
  return {
    result: {
      fileName: fileNameOf(id, now),
      file: file.toString('base64'),
      variables: variables.length,
      skipped,
    },
    after: { variables: variables.length, skipped: skipped.length, bytes: file.length },
  };
};

/** env.backup: all variables as an encrypted file. The passphrase is not stored. */
export const backUpVariables = defineRecordedRead({
  contract: envContracts.backup,
  target: () => 'all variables',
  redact: () => ({}),
  run: backUp,
});

const LEASE_MS = 10 * MINUTE;

const sameDay = (a: number, b: number): boolean => iso(a).slice(0, 10) === iso(b).slice(0, 10);

const isDue = async (store: Store, connection: string, now: number): Promise<boolean> => {
  const newest = (await storedBackups(store, connection, now)).find(({ kind }) => kind === 'daily');
  return !newest || !sameDay(newest.at, now);
};

/** Total bytes of values in one stored backup. */
const MAX_STORED_BYTES = 64 * 2 ** 20;

/** Stores a backup of all variables. */
export const storeAll = async (ctx: ReadContext, kind: Backup['kind'], now: number): Promise<Backup> => {
  const { variables, skipped } = await readAll(ctx, MAX_STORED_BYTES);
  return storeBackup(ctx.store, kind, takeSnapshot(ctx.connection.config.id, now, variables, skipped), now);
};

/** env.backups.create: in the console's store, so a read-only connection takes it too. */
export const backUpNow = defineCommand({
  contract: envContracts.backUpNow,
  target: () => 'all variables',
  redact: () => ({}),
  isNoOp: async () => true,
  run: async (ctx) => {
    const backup = await storeAll(ctx, 'manual', ctx.now());
    return { result: { backup }, after: { id: backup.id, variables: backup.variables } };
  },
});

const record = (store: Store, connection: string, end: Pick<Ending, 'outcome' | 'detail'>, now: number) =>
  appendEvent(
    store,
    {
      id: newId(now),
      actor: systemActor(),
      action: envContracts.backup.id,
      connection,
      target: 'all variables',
      reason: null,
      input: null,
      requestId: null,
      ...end,
    },
    now,
  );

/** Makes today's backup of a connection, unless it exists or there are no variables. */
const backUpToday = async (store: Store, handle: ConnectionHandle, now: number): Promise<boolean> => {
  const { id } = handle.config;
  if (!(await isDue(store, id, now))) return false;
  const ctx = { ...readContext({ actor: systemActor(), requestId: newId(now) }, handle), store };
  if (!ctx.catalog.role('variable')) return false;
  // The background connection: user requests have priority.
  const { variables, skipped } = await readAll({ ...ctx, reader: handle.background }, MAX_STORED_BYTES);
  if (variables.length === 0) return false;
  await storeBackup(store, 'daily', takeSnapshot(id, now, variables, skipped), now);
  const detail = `Daily backup in the store: ${variables.length} variables, ${skipped.length} left out.`;
  await record(store, id, { outcome: 'succeeded', detail }, now);
  return true;
};

/** Day of the last recorded failure of each connection. */
const reported = new Map<string, string>();

/** Records a failure once a day. Not if Redis or the store is unreachable (503): the next run retries. */
const report = async (store: Store, connection: string, error: unknown, now: number): Promise<void> => {
  if (!(error instanceof Problem)) logBroken(`the backup of ${connection}`, error);
  else if (error.status !== 503 && reported.get(connection) !== iso(now).slice(0, 10)) {
    reported.set(connection, iso(now).slice(0, 10));
    await record(store, connection, { outcome: 'failed', detail: error.message }, now).catch(() => undefined);
  }
};

/**
 * Backs up the variables of every connection, also read-only ones, into the store once a day (UTC), in whichever
 * process comes first. Unreachable connections are retried at the next call. Returns the ids of those backed up.
 */
export const backUpDaily = async (
  store: Store,
  connections: Iterable<ConnectionHandle>,
  now = Date.now(),
): Promise<string[]> => {
  const done: string[] = [];
  for (const handle of connections) {
    const { id } = handle.config;
    try {
      const lease = consoleFamilies.lease.key({ name: `env-backup-${id}` });
      const result = await withLease(store, lease, { ms: LEASE_MS }, () => backUpToday(store, handle, now));
      if (result.ok && result.value) done.push(id);
    } catch (error) {
      await report(store, id, error, now);
    }
  }
  return done;
};
