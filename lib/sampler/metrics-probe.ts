import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import { catalogOf } from '@/lib/command/context';
import { LEVELS_EVERY_MS } from '@/lib/history/levels';
import { type MetricSample, recordMetrics } from '@/lib/metrics/history';
import { fieldIdOf, type MetricKey, metricKeys, placeOf, seriesIdOf } from '@/lib/metrics/metric-keys';
import { type Reading, readNow } from '@/lib/metrics/readings';
import { isSecretField } from '@/lib/metrics/show-figure';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';

/** Metrics that are sampled; of more the first by name. */
export const MAX_METRICS = 200;
/** Fields of statistics that are sampled, of all keys together. */
export const MAX_STATS_FIELDS = 200;

/** How often the keys are looked for: less often the longer a scan takes. */
const findEveryMs = (keys: number): number => {
  if (keys < 100_000) return MINUTE;
  return keys < 1_000_000 ? 5 * MINUTE : 30 * MINUTE;
};

const byPlace = (a: MetricKey, b: MetricKey): number => {
  const [left, right] = [placeOf(a), placeOf(b)];
  for (const [i, part] of left.entries()) if (part !== right[i]) return part < right[i]! ? -1 : 1;
  return 0;
};

/** The first of each kind: every key of statistics has a field at least. */
const sampled = (keys: readonly MetricKey[]): MetricKey[] => {
  const sorted = [...keys].sort(byPlace);
  const of = (kind: MetricKey['kind'], count: number) =>
    sorted.filter((one) => one.kind === kind).slice(0, count);
  return [...of('metric', MAX_METRICS), ...of('stats', MAX_STATS_FIELDS)];
};

/** Numbers of one reading that are no secrets; of statistics at most `left` fields. */
const numbersOf = (
  { key, family }: MetricKey,
  { figure, fields }: Reading,
  left: number,
): [string, number][] => {
  if (family.sensitiveValue) return [];
  if (figure) return figure.value === null ? [] : [[seriesIdOf(key, null), figure.value]];
  const numbers = (fields ?? []).flatMap(({ field, value }): [string, number][] =>
    value === null || isSecretField(family, field) ? [] : [[seriesIdOf(key, fieldIdOf(field)), value]],
  );
  return numbers.slice(0, left);
};

/** Records the application's metrics and statistics of one connection every ten seconds. */
export class MetricsProbe {
  private recordedAt = 0;
  private found: { keys: MetricKey[]; catalog: Registry; until: number } | null = null;
  private readonly handle: ConnectionHandle;
  private readonly store: Store;

  constructor(handle: ConnectionHandle, store: Store) {
    this.handle = handle;
    this.store = store;
  }

  /** What is due by now. A metric that is no number at that time has no value there. */
  async tick(now = Date.now()): Promise<void> {
    const step = Math.floor(now / LEVELS_EVERY_MS);
    if (step === this.recordedAt) return;
    const catalog = catalogOf(this.handle);
    if (catalog.withRole('counter').length + catalog.withRole('stats').length === 0) return;
    const keys = await this.keys(catalog, now);
    this.recordedAt = step;
    if (keys.length === 0) return;
    const source = { handle: this.handle, reader: this.handle.background, purpose: 'scan' } as const;
    const readings = await readNow(source, keys);
    const v: MetricSample['v'] = {};
    let left = MAX_STATS_FIELDS;
    for (const [i, metric] of keys.entries()) {
      const numbers = numbersOf(metric, readings[i]!, left);
      if (metric.kind === 'stats') left -= numbers.length;
      for (const [id, value] of numbers) v[id] = value;
    }
    if (Object.keys(v).length > 0) await recordMetrics(this.store, this.handle.config.id, { at: now, v });
  }

  private async keys(catalog: Registry, now: number): Promise<MetricKey[]> {
    const { found } = this;
    if (found?.catalog === catalog && now < found.until) return found.keys;
    const { keys, isScanned } = await metricKeys(this.handle, catalog);
    // While the first scan still runs it is asked for again at the next step.
    const forMs = isScanned ? findEveryMs(await this.handle.background.size()) : 0;
    this.found = { keys: sampled(keys), catalog, until: now + forMs };
    return this.found.keys;
  }
}
