import 'server-only';
import { Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { consoleVersion } from '@/lib/version';
import { knownVersion } from './migrations';

const KEY = consoleFamilies.schema.key();

export interface StoredVersion {
  version: number;
  /** Set from before the first step of a migration until its end: older consoles write nothing meanwhile. */
  migratingTo: number | null;
  /** The file with the backup of before this migration; null when there is none yet. */
  backup: string | null;
  /** The version of the console that wrote this last. */
  writtenBy: string;
}

/** What the store says; null where it says nothing, as before there were versions; `unreadable` is not ours. */
export type Stored = StoredVersion | null | 'unreadable';

const versionIn = (text: string | undefined): number | null =>
  /^\d{1,6}$/.test(text ?? '') ? Number(text) : null;

/** Throws the store's 503 `Problem`. */
export const readVersion = async (store: Store): Promise<Stored> => {
  const type = await store.use((redis) => redis.type(KEY));
  if (type === 'none') return null;
  if (type !== 'hash') return 'unreadable';
  const fields = await store.use((redis) => redis.hgetall(KEY));
  const version = versionIn(fields.version);
  const migratingTo = fields.migratingTo ? versionIn(fields.migratingTo) : null;
  if (version === null || (fields.migratingTo && migratingTo === null)) return 'unreadable';
  const writtenBy = /^[\w.+-]{1,40}$/.test(fields.writtenBy ?? '') ? fields.writtenBy! : '(unknown)';
  return { version, migratingTo, backup: fields.backup || null, writtenBy };
};

export const writeVersion = (
  store: Store,
  { version, migratingTo, backup }: Omit<StoredVersion, 'writtenBy'>,
): Promise<unknown> =>
  store.use((redis) =>
    redis.hset(KEY, {
      version,
      migratingTo: migratingTo ?? '',
      backup: backup ?? '',
      writtenBy: consoleVersion(),
      at: iso(Date.now()),
    }),
  );

/** The version that a console must know to write to this store. */
const neededBy = ({ version, migratingTo }: StoredVersion): number => Math.max(version, migratingTo ?? 0);

/** Whether nothing is left to migrate, nor half done. */
export const isCurrent = (stored: Stored): boolean =>
  stored !== null &&
  stored !== 'unreadable' &&
  stored.version === knownVersion() &&
  stored.migratingTo === null;

const ofVersion = (text: string, retryAfterSeconds?: number): Problem =>
  new Problem('store_version', text, { extensions: retryAfterSeconds ? { retryAfterSeconds } : {} });

const UPGRADE_SECONDS = 10;

/** Whether nothing is written because a newer console upgrades the store at the moment. */
export const isBeingUpgraded = (refusal: Problem | null): boolean =>
  refusal?.extensions.retryAfterSeconds === UPGRADE_SECONDS;

/** Why this console must not write to a store; null unless a newer one wrote it. */
export const newerProblem = (stored: Stored): Problem | null => {
  if (stored === 'unreadable')
    return ofVersion("The version of Keyward's store cannot be read, so nothing is changed.");
  if (stored === null || neededBy(stored) <= knownVersion()) return null;
  const { writtenBy, version, migratingTo } = stored;
  const own = `this is Keyward ${consoleVersion()}, which knows schema ${knownVersion()}. Nothing is changed`;
  if (migratingTo !== null)
    return ofVersion(
      `Keyward's store is upgraded to schema ${migratingTo} by Keyward ${writtenBy}; ${own}: try again in a moment.`,
      UPGRADE_SECONDS,
    );
  return ofVersion(
    `Keyward's store has schema ${version} by Keyward ${writtenBy}; ${own}: use Keyward ${writtenBy} or newer.`,
  );
};

/** Why this console does not write to a store that it upgrades; `why` is a sentence. */
export const olderProblem = (stored: Stored, why: string): Problem => {
  const version =
    stored === null || stored === 'unreadable' ? 'no schema version' : `schema ${stored.version}`;
  return ofVersion(
    `Keyward's store has ${version} and this is Keyward ${consoleVersion()}, which needs schema ${knownVersion()}. ${why}`,
  );
};
