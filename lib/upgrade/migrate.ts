import 'server-only';
import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemActor } from '@/lib/actor';
import { appendEvent } from '@/lib/audit/log';
import { env } from '@/lib/configuration';
import type { Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { log, logBroken } from '@/lib/log';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { iso, SECOND } from '@/lib/time';
import { consoleVersion } from '@/lib/version';
import { backupStore, isEmpty } from './backup';
import { knownVersion, migrations } from './migrations';
import {
  isCurrent,
  newerProblem,
  olderProblem,
  readVersion,
  type Stored,
  type StoredVersion,
  writeVersion,
} from './stored-version';

const LEASE = consoleFamilies.lease.key({ name: 'schema' });
const LEASE_MS = 30 * SECOND;
/** Other processes read the version every second; from then on they write nothing. */
const NOTICE_MS = 2500;

export interface Upgrade {
  /** Another client of the store, which may write while this process may not. */
  openWriting(): Store;
  /** Lets no further job begin, and waits for a while for those that run. Returns how to let them begin again. */
  pauseJobs(store: Store): Promise<() => Promise<void>>;
  noticeMs?: number;
}

/** Completes the sentence of `olderProblem`. */
class NotUpgraded extends Error {}

/** Why no backup could be written, as `NotUpgraded`. */
const withoutBackup = (error: unknown): unknown => {
  if (isStoreUnavailable(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new NotUpgraded(
    `It is not upgraded because no backup can be written (${code ?? message.replace(/\.$/, '')}): set KEYWARD_BACKUP_DIR to a folder that Keyward can write to, or to none for no backup.`,
  );
};

/** Before anything is announced to others. */
const checkFolder = async (): Promise<void> => {
  const { backupDir } = env();
  if (backupDir === null) return;
  await mkdir(backupDir, { recursive: true, mode: 0o700 });
  await access(backupDir, constants.W_OK);
};

const backUp = async (store: Store, from: number): Promise<string> => {
  const { backupDir } = env();
  if (backupDir === null) return 'none';
  const file = `schema-${from}-${iso(Date.now()).replaceAll(/[:.]/g, '-')}.backup`;
  await backupStore(join(backupDir, file), store);
  return file;
};

const record = (store: Store, from: number, steps: string[], backup: string): Promise<void> =>
  appendEvent(store, {
    actor: systemActor(),
    action: 'store.upgrade',
    target: `schema ${from} → ${knownVersion()}`,
    outcome: 'succeeded',
    detail: `Keyward ${consoleVersion()}: ${steps.join('; ')}; backup: ${backup}`,
  });

/** Announces the migration, so that older consoles write nothing, and then makes the backup. */
const prepare = async (
  store: Store,
  before: StoredVersion,
  isKnown: boolean,
  noticeMs: number,
): Promise<string> => {
  const announced = { ...before, migratingTo: knownVersion() };
  await writeVersion(store, announced);
  if (isKnown) await sleep(noticeMs);
  const backup = await backUp(store, before.version).catch(async (error: unknown) => {
    // Nothing was changed, so that others may go on.
    await writeVersion(store, before);
    throw withoutBackup(error);
  });
  await writeVersion(store, { ...announced, backup });
  return backup;
};

/** Under the lease. Any step may have been interrupted before. */
const migrate = async (store: Store, { pauseJobs, noticeMs = NOTICE_MS }: Upgrade): Promise<void> => {
  const stored = await readVersion(store);
  if (isCurrent(stored) || newerProblem(stored)) return;
  const before = (stored ?? { version: 0, migratingTo: null, backup: null, writtenBy: '' }) as StoredVersion;
  if (stored === null && (await isEmpty(store))) {
    await writeVersion(store, { version: knownVersion(), migratingTo: null, backup: null });
    return;
  }
  if (before.backup === null)
    await checkFolder().catch((error: unknown) => {
      throw withoutBackup(error);
    });
  const resume = await pauseJobs(store);
  try {
    const backup = before.backup ?? (await prepare(store, before, stored !== null, noticeMs));
    const steps = migrations().filter(({ to }) => to > before.version);
    for (const { to, migrate } of steps) {
      await migrate(store);
      await writeVersion(store, { version: to, migratingTo: knownVersion(), backup });
    }
    await record(
      store,
      before.version,
      steps.map(({ what }) => what),
      backup,
    );
    await writeVersion(store, { version: knownVersion(), migratingTo: null, backup: null });
    log('info', `Upgraded the store to schema ${knownVersion()}; the backup of before: ${backup}.`);
  } finally {
    await resume().catch(() => undefined);
  }
};

export interface Upgraded {
  /** Why nothing may be written now; null where it may. */
  why: Problem | null;
  /** An attempt to upgrade failed. */
  hasFailed?: true;
}

const migrateOnce = async (stored: Stored, upgrade: Upgrade): Promise<Upgraded> => {
  const store = upgrade.openWriting();
  try {
    const done = await withLease(store, LEASE, { ms: LEASE_MS, renewed: true }, () =>
      migrate(store, upgrade),
    );
    if (!done.ok) return { why: olderProblem(stored, 'Another process is upgrading it: wait a moment.') };
    return { why: newerProblem(await readVersion(store)) };
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    if (error instanceof NotUpgraded) return { why: olderProblem(stored, error.message), hasFailed: true };
    logBroken('the upgrade of the store', error);
    const text = 'Upgrading it failed and is tried again; the server log has the reason.';
    return { why: olderProblem(stored, text), hasFailed: true };
  } finally {
    store.close();
  }
};

/**
 * Brings the store to the version of this console, after a backup. Of several processes one does it, while the others
 * may not write. Throws the store's 503 `Problem`.
 */
export const upgradeStore = async (own: Store, upgrade: Upgrade): Promise<Upgraded> => {
  const stored = await readVersion(own);
  if (isCurrent(stored)) return { why: null };
  const newer = newerProblem(stored);
  return newer ? { why: newer } : migrateOnce(stored, upgrade);
};
