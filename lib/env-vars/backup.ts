import 'server-only';
import { systemActor } from '@/lib/actor';
import { appendEvent, type Ending } from '@/lib/audit/log';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { type RecordedReadContext, readContext } from '@/lib/command/context';
import { defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { logBroken } from '@/lib/log';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { iso, MINUTE } from '@/lib/time';
import { sealFile } from './backup-file';
import { takeSnapshot, writeSnapshot } from './payload';
import { readAll } from './plaintext';
import { envContracts } from './schema';
import { storeBackup, storedBackups } from './stored-backups';

/** Values together in one backup: a file of them, in base64 twice over, fits what a restore accepts. */
const MAX_BACKED_UP = 8 * 2 ** 20;

const fileNameOf = (connection: string, now: number): string =>
  `${connection}-variables-${iso(now).slice(0, 19).replaceAll(':', '')}Z.kwbackup`;

const backUp = async (ctx: RecordedReadContext, { passphrase }: Input<typeof envContracts.backup>) => {
  const { variables, skipped } = await readAll(ctx, MAX_BACKED_UP);
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

/** All variables as a file under a passphrase, which is kept nowhere. */
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

/** What one connection may take of the store a day. */
const MAX_BYTES_PER_DAY = 64 * 2 ** 20;

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

/** Today's backup of one connection, unless there is one already or nothing to back up. */
const backUpToday = async (store: Store, handle: ConnectionHandle, now: number): Promise<boolean> => {
  const { id } = handle.config;
  if (!(await isDue(store, id, now))) return false;
  const ctx = { ...readContext({ actor: systemActor(), requestId: newId(now) }, handle), store };
  if (!ctx.catalog.get('discours.env-vars')) return false;
  // What nobody waits for reads behind what people do.
  const { variables, skipped } = await readAll({ ...ctx, reader: handle.background }, MAX_BYTES_PER_DAY);
  if (variables.length === 0) return false;
  await storeBackup(store, 'daily', takeSnapshot(id, now, variables, skipped), now);
  const detail = `Daily backup, kept in the store: ${variables.length} variables, ${skipped.length} left out.`;
  await record(store, id, { outcome: 'succeeded', detail }, now);
  return true;
};

const told = new Map<string, string>();

/** A Redis or store out of reach is tried again; what will not be better the next hour is on record, once a day. */
const report = async (store: Store, connection: string, error: unknown, now: number): Promise<void> => {
  if (!(error instanceof Problem)) logBroken(`the backup of ${connection}`, error);
  else if (error.status !== 503 && told.get(connection) !== iso(now).slice(0, 10)) {
    told.set(connection, iso(now).slice(0, 10));
    await record(store, connection, { outcome: 'failed', detail: error.message }, now).catch(() => undefined);
  }
};

/**
 * Backs every connection's variables up into the store once a day (UTC), whichever process comes first; read-only
 * connections too. One that cannot be reached is tried at the next call. Returns the ids of those backed up.
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
      const kept = await withLease(store, lease, { ms: LEASE_MS }, () => backUpToday(store, handle, now));
      if (kept.ok && kept.value) done.push(id);
    } catch (error) {
      await report(store, id, error, now);
    }
  }
  return done;
};
