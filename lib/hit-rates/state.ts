import 'server-only';
import { z } from 'zod';
import type { ConnectionConfig } from '@/lib/configuration';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';

const samplingSettings = z.object({ on: z.boolean(), everySeconds: z.number(), forSeconds: z.number() });
export type SamplingSettings = z.output<typeof samplingSettings>;

/** Who consented to changing the flags, and from which value on each primary. */
const consent = z.object({
  by: z.string(),
  at: z.number(),
  auditId: z.string(),
  presents: z.record(z.string(), z.string()),
});
export type Consent = z.output<typeof consent>;

/** The value on one primary from which the consent permits a change. */
export const presentAgreed = (given: Consent | null, connection: string, node: string): string | undefined =>
  // An earlier version, which knew one server only, recorded the connection's id.
  given?.presents[node] ?? given?.presents[connection];

/** The flags of one primary before and during a window. Stored before the server is changed. */
const changedFlags = z.object({
  node: z.string(),
  before: z.string(),
  during: z.string(),
  since: z.number(),
});
export type ChangedFlags = z.output<typeof changedFlags>;

const lastWindow = z.object({
  at: z.number(),
  seconds: z.number(),
  askedSeconds: z.number(),
  cutShort: z.string().nullable(),
  coverage: z.number().nullable(),
});
export type LastWindow = z.output<typeof lastWindow>;

export interface SamplingRecord {
  /** A user's settings; null where no user has changed any. */
  settings: SamplingSettings | null;
  consent: Consent | null;
  last: LastWindow | null;
  stoppedBecause: string | null;
  toRestore: ChangedFlags[];
}

const keyOf = (connection: string): Buffer => consoleFamilies.sampling.key({ connection });

const TO_RESTORE = 'toRestore:';
/** Written by earlier versions. If it were ignored, a server would stay changed. */
const TO_RESTORE_BEFORE = `put${'Back'}:`;

export const readSampling = (store: Store, connection: string): Promise<SamplingRecord> =>
  store.use(async (redis) => {
    const fields = await redis.hgetall(keyOf(connection));
    return {
      settings: parseStored(samplingSettings, fields.settings),
      consent: parseStored(consent, fields.consent),
      last: parseStored(lastWindow, fields.last),
      stoppedBecause: parseStored(z.string(), fields.stopped),
      // Throws for an entry that cannot be parsed: if it were skipped, the server would stay changed unnoticed.
      toRestore: Object.keys(fields)
        .filter((name) => name.startsWith(TO_RESTORE) || name.startsWith(TO_RESTORE_BEFORE))
        .map((name) => changedFlags.parse(JSON.parse(fields[name]!))),
    };
  });

const set = (store: Store, connection: string, field: string, value: unknown): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    if (value === null) await redis.hdel(key, field);
    else await redis.hset(key, field, JSON.stringify(value));
  });

export const saveSettings = async (
  store: Store,
  connection: string,
  settings: SamplingSettings,
  agreed: Consent | null,
): Promise<void> => {
  await set(store, connection, 'consent', agreed);
  await set(store, connection, 'settings', settings);
  await set(store, connection, 'stopped', null);
};

export const saveLastWindow = (store: Store, connection: string, last: LastWindow): Promise<void> =>
  set(store, connection, 'last', last);

export const saveStopReason = (store: Store, connection: string, why: string | null): Promise<void> =>
  set(store, connection, 'stopped', why);

export const saveChangedFlags = (store: Store, connection: string, flags: ChangedFlags): Promise<void> =>
  set(store, connection, TO_RESTORE + flags.node, flags);

export const deleteChangedFlags = (store: Store, connection: string, node: string): Promise<void> =>
  store.use(async (redis) => {
    await redis.hdel(keyOf(connection), TO_RESTORE + node, TO_RESTORE_BEFORE + node);
  });

const DEFAULT = { everySeconds: 60, forSeconds: 1 };

export interface SettingsInForce extends SamplingSettings {
  origin: 'default' | 'configuration' | 'user';
}

/**
 * The settings in force: a user's, otherwise the configuration's. With neither, windows are on where `needsNoConsent`:
 * no server setting has to change, and it is not production.
 */
export const settingsInForce = (
  config: ConnectionConfig['hitRates'],
  { settings }: Pick<SamplingRecord, 'settings'>,
  needsNoConsent: boolean,
): SettingsInForce => {
  if (settings) return { ...settings, origin: 'user' };
  if (config === undefined) return { on: needsNoConsent, ...DEFAULT, origin: 'default' };
  if ('sample' in config) return { on: false, ...DEFAULT, origin: 'configuration' };
  return { on: true, ...config, origin: 'configuration' };
};

/** Whether neither a user nor the configuration has decided about windows. */
export const isUndecided = (
  config: ConnectionConfig['hitRates'],
  { settings }: Pick<SamplingRecord, 'settings'>,
): boolean => settings === null && config === undefined;
