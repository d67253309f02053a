import 'server-only';
import { digest } from '@/lib/keyring';
import { displayParams } from '@/lib/keyspace/display';
import type { Family, Params } from '@/lib/keyspace/family';
import { partsOf } from '@/lib/keyspace/part-params';
import type { Registry } from '@/lib/keyspace/registry';
import { processWide } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { roleKeys } from '@/lib/role-keys/role-keys';
import type { MetricKind } from './schema';

/** A key of a metric or of statistics. */
export interface MetricKey {
  key: Key;
  family: Family;
  kind: MetricKind;
  /** For display: secrets are masked. */
  name: string;
  period: string;
  /** The same for all periods of a name. */
  group: string;
  /** In lists: periods of a name side by side. */
  place: readonly [name: string, kind: string, rank: number, period: string, id: string];
}

const ROLES = ['counter', 'stats'] as const;

/** Identifies a figure where names must not be seen: a keyed digest. */
const digestOf = (length: number, ...parts: (string | Uint8Array)[]): string =>
  digest('key-handle', Buffer.concat(parts.map((part) => Buffer.from(part))), length);

/** The id of a field of statistics. */
export const fieldIdOf = (field: Uint8Array): string => digestOf(16, 'metric field\0', field);

/** The id of a figure among the samples of its connection. 48 bits: a few hundred never share one. */
export const seriesIdOf = (key: Key, fieldId: string | null): string =>
  digestOf(8, 'metric\0', key, '\0', fieldId ?? '');

/** Periods as people name them, shortest first; others follow by name. */
const PERIODS = ['hourly', 'daily', 'weekly', 'monthly', 'total'];

const nameOf = (catalog: Registry, key: Key, family: Family, params: Params): Omit<MetricKey, 'key'> => {
  const own = partsOf(family, params);
  const { name = '', period = '' } = partsOf(family, displayParams(family, params, catalog));
  const kind = family.role === 'stats' ? 'stats' : 'metric';
  const rank = PERIODS.indexOf(period);
  return {
    family,
    kind,
    name,
    period,
    group: digestOf(16, `${family.id}\0${own.name ?? ''}`),
    place: [name, kind, rank < 0 ? PERIODS.length : rank, period, seriesIdOf(key, null)],
  };
};

/** What a key is among the metrics; null where the catalog says it is none. */
export const metricOf = (catalog: Registry, key: Key): MetricKey | null => {
  const found = catalog.classify(key);
  if (found.family === null || !(ROLES as readonly unknown[]).includes(found.family.role)) return null;
  return { key, ...nameOf(catalog, key, found.family, found.params) };
};

export interface MetricKeys {
  keys: MetricKey[];
  /** False where there are more, or the first scan still runs. */
  isComplete: boolean;
  /** False while the first scan still runs: some keys are not known yet. */
  isScanned: boolean;
}

interface Named {
  catalog: Registry;
  byKey: Map<string, Omit<MetricKey, 'key'>>;
}

/** What the latest scan found: names and digests of thousands of keys take longer than the scan itself. */
const named = processWide('named metrics', () => new WeakMap<ConnectionHandle, Named>());

/** All metrics of a connection, by the scan that all readers share. Throws a 503 `Problem`. */
export const metricKeys = async (handle: ConnectionHandle, catalog: Registry): Promise<MetricKeys> => {
  const { keys, isComplete, foundAt } = await roleKeys(handle, catalog, ROLES);
  const before = named().get(handle);
  const byKey: Named['byKey'] = new Map();
  const metrics = keys.flatMap(({ key, family, params }): MetricKey[] => {
    if (!params) return [];
    const id = key.toString('latin1');
    const known = before?.catalog === catalog ? before.byKey.get(id) : undefined;
    const own = known ?? nameOf(catalog, key, family, params);
    byKey.set(id, own);
    return [{ key, ...own }];
  });
  named().set(handle, { catalog, byKey });
  return { keys: metrics, isComplete, isScanned: foundAt !== null };
};

export const PLACE = ['string', 'string', 'number', 'string', 'string'] as const;
