import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ConnectionConfig } from '@/lib/env';
import type { Store } from '@/lib/redis/store';

export interface SamplingSettings {
  on: boolean;
  everySeconds: number;
  forSeconds: number;
}

/** Who agreed to merging flags in, and into which value on each primary. */
export interface Consent {
  by: string;
  at: number;
  auditId: string;
  presents: Record<string, string>;
}

/** What a window changed on one primary, written down before it does. */
export interface PutBack {
  node: string;
  before: string;
  during: string;
  since: number;
}

export interface LastWindow {
  at: number;
  seconds: number;
  cutShort: string | null;
  coverage: number | null;
}

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

const parse = <T>(text: string | undefined): T | null => (text ? (JSON.parse(text) as T) : null);

export const readSampling = (store: Store, connection: string): Promise<SamplingRecord> =>
  store.use(async (redis) => {
    const fields = await redis.hgetall(keyOf(connection));
    return {
      settings: parse<SamplingSettings>(fields.settings),
      consent: parse<Consent>(fields.consent),
      last: parse<LastWindow>(fields.last),
      stoppedBecause: parse<string>(fields.stopped),
      putBack: Object.keys(fields)
        .filter((name) => name.startsWith(PUT_BACK))
        .map((name) => JSON.parse(fields[name]!) as PutBack),
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
  consent: Consent | null,
): Promise<void> => {
  await set(store, connection, 'consent', consent);
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

/** What is in force: a person's word, else the configuration's, else off. */
export const settingsInForce = (
  config: ConnectionConfig['hitRates'],
  { settings }: SamplingRecord,
): SamplingSettings & { origin: 'default' | 'configuration' | 'person' } => {
  if (settings) return { ...settings, origin: 'person' };
  if ('sample' in config) return { ...DEFAULT, origin: 'default' };
  return { on: true, ...config, origin: 'configuration' };
};
