import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { keyOfId } from '@/lib/command/key-ids';
import { LEVELS_EVERY_MS } from '@/lib/history/levels';
import type { Registry } from '@/lib/keyspace/registry';
import { pageOfRows } from '@/lib/list-page';
import { type MetricSample, recordMetrics } from '@/lib/metrics/history';
import { fieldIdOf, type MetricKey, metricKeys, PLACE, seriesIdOf } from '@/lib/metrics/metric-keys';
import { type SeriesName, type SeriesNames, STORED_EVERY_MS, storeSeriesNames } from '@/lib/metrics/names';
import { type Pin, readAllPins } from '@/lib/metrics/pins';
import { BATCH_SIZE, type Reading, readNow } from '@/lib/metrics/readings';
import { isSecretField, shownField } from '@/lib/metrics/show-figure';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';

/** Maximum number of sampled metrics: the pinned ones, then the first by name. */
export const MAX_METRICS = 200;
/** Maximum number of sampled fields of statistics, over all keys. */
export const MAX_STATS_FIELDS = 200;

/** How often the keys are searched: less often the longer a scan takes. */
const findEveryMs = (keys: number): number => {
  if (keys < 100_000) return MINUTE;
  return keys < 1_000_000 ? 5 * MINUTE : 30 * MINUTE;
};

/** What is sampled: metrics, and statistics up to the maximum number of fields. Pinned ones come first. */
interface Found {
  metrics: MetricKey[];
  stats: MetricKey[];
  /** How many of `stats` have pinned fields. */
  pinnedStats: number;
  /** The series of the pinned figures. */
  pinned: ReadonlySet<string>;
}

const sampled = (
  keys: readonly MetricKey[],
  pins: readonly Pin[],
  pinnedKeys: ReadonlySet<string>,
): Found => {
  const sorted = pageOfRows(keys, {}, PLACE, ({ place }) => place).items;
  const isPinned = ({ key }: MetricKey): boolean => pinnedKeys.has(key.toString('latin1'));
  const ordered = [...sorted.filter(isPinned), ...sorted.filter((metric) => !isPinned(metric))];
  const keysOf = (kind: MetricKey['kind'], count: number) =>
    ordered.filter((metric) => metric.kind === kind).slice(0, count);
  const stats = keysOf('stats', MAX_STATS_FIELDS);
  return {
    metrics: keysOf('metric', MAX_METRICS),
    stats,
    pinnedStats: stats.filter(isPinned).length,
    pinned: new Set(pins.map(({ id }) => id)),
  };
};

type Numbers = [seriesId: string, value: number, name: SeriesName][];

/** The numbers of one reading that are not secret. */
const numbersOf = (
  { key, family, name: metric, period }: MetricKey,
  { figure, fields }: Reading,
): Numbers => {
  if (family.sensitiveValue) return [];
  if (figure)
    return figure.value === null
      ? []
      : [[seriesIdOf(key, null), figure.value, { metric, period, field: '' }]];
  return (fields ?? []).flatMap(({ field, value }): Numbers => {
    if (value === null || isSecretField(family, field)) return [];
    return [[seriesIdOf(key, fieldIdOf(field)), value, { metric, period, field: shownField(field) }]];
  });
};

/** Records the application's metrics and statistics of one connection every ten seconds. */
export class MetricsProbe {
  private recordedAt = 0;
  /** The series whose names were last stored, and when. */
  private named = { ids: '', at: 0 };
  private found: (Found & { catalog: Registry; until: number }) | null = null;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly store: Store,
  ) {}

  /** Takes the samples that are due. A metric that is not a number has no value at that time. */
  async tick(now = Date.now()): Promise<void> {
    const step = Math.floor(now / LEVELS_EVERY_MS);
    if (step === this.recordedAt) return;
    const catalog = catalogOf(this.handle);
    if (catalog.withRole('counter').length + catalog.withRole('stats').length === 0) return;
    const keys = await this.keys(catalog, now);
    this.recordedAt = step;
    const numbers = [...(await this.numbers(keys.metrics)), ...(await this.fields(keys))];
    if (numbers.length === 0) return;
    const v: MetricSample['v'] = Object.fromEntries(numbers);
    await recordMetrics(this.store, this.handle.config.id, { at: now, v });
    await this.storeNames(Object.fromEntries(numbers.map(([id, , name]) => [id, name])), now);
  }

  private async storeNames(names: SeriesNames, now: number): Promise<void> {
    const ids = Object.keys(names).join();
    if (ids === this.named.ids && now - this.named.at < STORED_EVERY_MS) return;
    await storeSeriesNames(this.store, this.handle.config.id, names);
    this.named = { ids, at: now };
  }

  private async numbers(metrics: readonly MetricKey[]): Promise<Numbers> {
    const source = { handle: this.handle, reader: this.handle.background, purpose: 'scan' } as const;
    const readings = await readNow(source, metrics);
    return metrics.flatMap((metric, i) => numbersOf(metric, readings[i]!));
  }

  /** Reads only as many statistics as their fields are needed. */
  private async fields({ stats, pinnedStats, pinned }: Found): Promise<Numbers> {
    const [first, others]: [Numbers, Numbers] = [[], []];
    const isFull = () => first.length + others.length >= MAX_STATS_FIELDS;
    for (let from = 0; from < stats.length && (from < pinnedStats || !isFull()); from += BATCH_SIZE)
      for (const number of await this.numbers(stats.slice(from, from + BATCH_SIZE)))
        (pinned.has(number[0]) ? first : others).push(number);
    return [...first, ...others].slice(0, MAX_STATS_FIELDS);
  }

  private async keys(catalog: Registry, now: number): Promise<Found> {
    if (this.found?.catalog === catalog && now < this.found.until) return this.found;
    const { keys, isScanned } = await metricKeys(this.handle, catalog);
    // While the first scan still runs, the next step asks for it again.
    const forMs = isScanned ? findEveryMs(await this.handle.background.size()) : 0;
    const pins = keys.length === 0 ? [] : await readAllPins(this.store, this.handle.config.id);
    const pinnedKeys = new Set(
      pins.map(({ keyId }) => keyOfId({ connection: this.handle, catalog }, keyId)?.toString('latin1') ?? ''),
    );
    this.found = { ...sampled(keys, pins, pinnedKeys), catalog, until: now + forMs };
    return this.found;
  }
}
