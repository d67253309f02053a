import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { findKey, keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { badField } from '@/lib/errors';
import { displayKey } from '@/lib/keyspace/display';
import { pageOfRows } from '@/lib/list-page';
import { iso, SECOND } from '@/lib/time';
import type { StoredField } from './fields';
import { RECENT_STEP_SECONDS, type RecentValues, readMetricLevels, recentValues } from './history';
import { fieldIdOf, type MetricKey, metricKeys, metricOf, PLACE, seriesIdOf } from './metric-keys';
import { type Reading, readShared } from './readings';
import type { MetricField, MetricItem, metricContracts } from './schema';
import { isSecretField, showField, showMetric, shownField } from './show-figure';

/** What an answer says of the key of a metric. */
export const namesOf = (ctx: ReadContext, { key, kind, name, period, group }: MetricKey) => ({
  keyId: keyIdOf(ctx, key),
  key: displayKey(key, ctx.catalog),
  kind,
  name,
  period,
  group,
});

export const secondsOf = (ttlMs: number | null): number | null =>
  ttlMs === null ? null : Math.ceil(ttlMs / SECOND);

const NOTHING = { value: null, text: null, problem: null };

const fieldsOf = (
  ctx: ReadContext,
  { key, family }: MetricKey,
  { fields }: Reading,
  recent: RecentValues | null,
): MetricField[] | null =>
  fields?.map((stored) => {
    const fieldId = fieldIdOf(stored.field);
    const shown = showField(ctx, family, stored);
    return {
      fieldId,
      field: shownField(stored.field) + (stored.isWhole ? '' : '…'),
      ...shown,
      ...(recent && shown.problem !== 'secret' && { series: recent(seriesIdOf(key, fieldId)) }),
    };
  }) ?? null;

const itemOf = (
  ctx: ReadContext,
  metric: MetricKey,
  reading: Reading,
  recent: RecentValues | null,
): MetricItem => {
  const { key, family, kind } = metric;
  const { figure, problem, ttlMs } = reading;
  const shown = figure ? showMetric(ctx, family, figure) : NOTHING;
  return {
    ...namesOf(ctx, metric),
    ...shown,
    problem: problem ?? shown.problem,
    fields: fieldsOf(ctx, metric, reading, recent),
    ttlSeconds: secondsOf(ttlMs),
    ...(recent && kind === 'metric' && !family.sensitiveValue && { series: recent(seriesIdOf(key, null)) }),
  };
};

const matcherOf = (q: string | undefined) => {
  const wanted = q?.trim().toLowerCase() ?? '';
  return ({ name, period }: MetricKey): boolean =>
    wanted === '' || name.toLowerCase().includes(wanted) || period.toLowerCase().includes(wanted);
};

/** Without the store there are values and no samples. */
const recentOf = (ctx: ReadContext): Promise<RecentValues> =>
  recentValues(ctx.store, ctx.connection, ctx.now()).catch(() => () => []);

/** metrics.application */
export const listMetrics: ReadOf<typeof metricContracts.list> = async (ctx, { q, withSeries, ...page }) => {
  const { keys, isComplete, isScanned } = await metricKeys(ctx.connection, ctx.catalog);
  const { items, nextCursor } = pageOfRows(keys.filter(matcherOf(q)), page, PLACE, ({ place }) => place);
  const readings = await readShared(ctx.connection, items);
  const recent = withSeries ? await recentOf(ctx) : null;
  await rememberLongKeys(
    ctx,
    items.map(({ key }) => key),
  );
  return {
    items: items.map((metric, i) => itemOf(ctx, metric, readings[i]!, recent)),
    nextCursor,
    complete: isComplete,
    scanned: isScanned,
    stepSeconds: RECENT_STEP_SECONDS,
    sampledAt: iso(ctx.now()),
  };
};

/** The metric that a figure belongs to. Throws 400 where the input names none. */
export const findMetric = async (
  ctx: ReadContext,
  { keyId, fieldId }: { keyId: string; fieldId?: string | undefined },
): Promise<MetricKey> => {
  const metric = metricOf(ctx.catalog, await findKey(ctx, keyId));
  if (!metric) throw badField('keyId', 'This key is neither a metric nor statistics.');
  if (metric.kind === 'stats' && fieldId === undefined)
    throw badField('fieldId', 'Statistics have several figures: name a field.');
  if (metric.kind === 'metric' && fieldId !== undefined) throw badField('fieldId', 'A metric has no fields.');
  return metric;
};

/** A field of a reading; undefined where it is not among those that are read. */
export const fieldIn = (reading: Reading, fieldId: string): StoredField | undefined =>
  reading.fields?.find(({ field }) => fieldIdOf(field) === fieldId);

/** Samples are by digests, so whether a field is a secret is seen in what is stored now. */
const isSecretFigure = async (
  ctx: ReadContext,
  metric: MetricKey,
  fieldId: string | undefined,
): Promise<boolean> => {
  if (metric.family.sensitiveValue || fieldId === undefined) return metric.family.sensitiveValue ?? false;
  const [reading] = await readShared(ctx.connection, [metric]);
  const stored = fieldIn(reading!, fieldId);
  return stored !== undefined && isSecretField(metric.family, stored.field);
};

/** metrics.applicationSeries: a secret has no points. */
export const readMetricSeries: ReadOf<typeof metricContracts.series> = async (ctx, input) => {
  const metric = await findMetric(ctx, input);
  if (await isSecretFigure(ctx, metric, input.fieldId)) return { points: [], stepSeconds: input.stepSeconds };
  const seriesId = seriesIdOf(metric.key, input.fieldId ?? null);
  return readMetricLevels(ctx.store, ctx.connection.config.id, seriesId, { ...input, now: ctx.now() });
};
