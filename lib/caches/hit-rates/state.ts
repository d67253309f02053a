import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ConnectionConfig } from '@/lib/env';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';

const samplingSettings = z.object({ on: z.boolean(), everySeconds: z.number(), forSeconds: z.number() });
export type SamplingSettings = z.output<typeof samplingSettings>;

/** Who agreed to merging flags in, and into which value on each primary. */
const consent = z.object({
  by: z.string(),
  at: z.number(),
  auditId: z.string(),
  presents: z.record(z.string(), z.string()),
});
export type Consent = z.output<typeof consent>;

/** What a window changed on one primary, written down before it does. */
const putBack = z.object({
  node: z.string(),
  before: z.string(),
  during: z.string(),
  since: z.number(),
});
export type PutBack = z.output<typeof putBack>;

const lastWindow = z.object({
  at: z.number(),
  seconds: z.number(),
  askedSeconds: z.number(),
  cutShort: z.string().nullable(),
  coverage: z.number().nullable(),
});
export type LastWindow = z.output<typeof lastWindow>;

export interface SamplingRecord {
  /** Null where nobody set any: then the configuration's. */
  settings: SamplingSettings | null;
  consent: Consent | null;
  last: LastWindow | null;
  stoppedBecause: string | null;
  putBack: PutBack[];
}

const keyOf = (connection: string): Buffer => consoleFamilies.sampling.key({ connection });

const PUT_BACK = 'putBack:';

export const readSampling = (store: Store, connection: string): Promise<SamplingRecord> =>
  store.use(async (redis) => {
    const fields = await redis.hgetall(keyOf(connection));
    return {
      settings: parseStored(samplingSettings, fields.settings),
      consent: parseStored(consent, fields.consent),
      last: parseStored(lastWindow, fields.last),
      stoppedBecause: parseStored(z.string(), fields.stopped),
      // One that cannot be read throws: passed over, it would leave the server changed and nobody told.
      putBack: Object.keys(fields)
        .filter((name) => name.startsWith(PUT_BACK))
        .map((name) => putBack.parse(JSON.parse(fields[name]!))),
    };
  });

const set = (store: Store, connection: string, field: string, value: unknown): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    if (value === null) await redis.hdel(key, field);
    else await redis.hset(key, field, JSON.stringify(value));
  });

export const keepSettings = async (
  store: Store,
  connection: string,
  settings: SamplingSettings,
  agreed: Consent | null,
): Promise<void> => {
  await set(store, connection, 'consent', agreed);
  await set(store, connection, 'settings', settings);
  await set(store, connection, 'stopped', null);
};

export const noteLast = (store: Store, connection: string, last: LastWindow): Promise<void> =>
  set(store, connection, 'last', last);

export const noteStopped = (store: Store, connection: string, why: string | null): Promise<void> =>
  set(store, connection, 'stopped', why);

export const notePutBack = (store: Store, connection: string, entry: PutBack): Promise<void> =>
  set(store, connection, PUT_BACK + entry.node, entry);

export const forgetPutBack = (store: Store, connection: string, node: string): Promise<void> =>
  set(store, connection, PUT_BACK + node, null);

const DEFAULT: SamplingSettings = { on: false, everySeconds: 60, forSeconds: 1 };

/** What is in force: a user's word, else the configuration's, else off. */
export const settingsInForce = (
  config: ConnectionConfig['hitRates'],
  { settings }: SamplingRecord,
): SamplingSettings & { origin: 'default' | 'configuration' | 'user' } => {
  if (settings) return { ...settings, origin: 'user' };
  if ('sample' in config) return { ...DEFAULT, origin: 'default' };
  return { on: true, ...config, origin: 'configuration' };
};
