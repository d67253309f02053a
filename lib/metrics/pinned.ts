import 'server-only';
import { settingsIdOf } from '@/lib/actor';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { keyOfId } from '@/lib/command/key-ids';
import { open } from '@/lib/keyring';
import { displayKey } from '@/lib/keyspace/display';
import { MASK } from '@/lib/keyspace/mask';
import { pageOfRows } from '@/lib/list-page';
import { iso } from '@/lib/time';
import { RECENT_STEP_SECONDS, type RecentValues, recentValues } from './history';
import { type MetricKey, metricOf } from './metric-keys';
import { type Pin, readPins } from './pins';
import { type Reading, readShared } from './readings';
import { fieldIn, namesOf, secondsOf } from './reads';
import type { MetricProblem, metricContracts, PinnedMetric } from './schema';
import { type Shown, showField, showMetric, shownField } from './show-figure';

/** The name of the pinned field; null of a metric, and where it was sealed by another console. */
const fieldOf = ({ connection }: ReadContext, { field }: Pin): Buffer | null =>
  field === null ? null : open('key-id', Buffer.from(field, 'base64url'), connection.config.id);

/** What is pinned, as the audit log has it. */
export const shownPin = (ctx: ReadContext, pin: Pin): string => {
  const key = keyOfId(ctx, pin.keyId);
  const field = fieldOf(ctx, pin);
  return (key ? displayKey(key, ctx.catalog) : MASK) + (field ? `: ${shownField(field)}` : '');
};

const without = (problem: MetricProblem | null): Shown => ({ value: null, text: null, problem });

const figureIn = (ctx: ReadContext, { family }: MetricKey, reading: Reading, pin: Pin): Shown => {
  if (pin.fieldId === null)
    return reading.figure ? showMetric(ctx, family, reading.figure) : without(reading.problem);
  if (!reading.fields) return without(reading.problem);
  const stored = fieldIn(reading, pin.fieldId);
  // Among more fields than are read it may still exist.
  return stored ? showField(ctx, family, stored) : without(reading.problem ?? 'gone');
};

/** Null: sealed by another console, or no metric to the catalog of now. */
const metricPinned = (ctx: ReadContext, { keyId }: Pin): MetricKey | null => {
  const key = keyOfId(ctx, keyId);
  return key && metricOf(ctx.catalog, key);
};

/** What cannot be opened is gone, under the name of its key: it can still be unpinned. */
const namesWithout = (ctx: ReadContext, { keyId, fieldId }: Pin) => {
  const key = keyOfId(ctx, keyId);
  const name = key ? displayKey(key, ctx.catalog) : MASK;
  const kind = fieldId === null ? ('metric' as const) : ('stats' as const);
  return { keyId, key: name, kind, name, period: '', group: '' };
};

const itemOf = (
  ctx: ReadContext,
  { pin, metric }: { pin: Pin; metric: MetricKey | null },
  reading: Reading | undefined,
  recent: RecentValues,
): PinnedMetric => {
  const field = fieldOf(ctx, pin);
  const shown = metric && reading ? figureIn(ctx, metric, reading, pin) : without('gone');
  return {
    ...(metric ? namesOf(ctx, metric) : namesWithout(ctx, pin)),
    id: pin.id,
    fieldId: pin.fieldId,
    field: field && shownField(field),
    ...shown,
    ttlSeconds: reading ? secondsOf(reading.ttlMs) : null,
    series: metric === null || shown.problem === 'secret' ? [] : recent(pin.id),
    pinnedAt: iso(pin.at),
  };
};

/** metrics.pinned */
export const listPinned: ReadOf<typeof metricContracts.pinned> = async (ctx, page) => {
  const pins = await readPins(ctx.store, ctx.connection.config.id, settingsIdOf(ctx.actor));
  const rows = pins.map((pin) => ({ pin, metric: metricPinned(ctx, pin) }));
  const { items, nextCursor } = pageOfRows(rows, page, ['number', 'string'], ({ pin }) => [pin.at, pin.id]);
  if (items.length === 0) return { items: [], nextCursor, stepSeconds: RECENT_STEP_SECONDS };
  const known = items.flatMap(({ metric }) => metric ?? []);
  const readings = (await readShared(ctx.connection, known)).values();
  const recent = await recentValues(ctx.store, ctx.connection, ctx.now());
  return {
    items: items.map((row) => itemOf(ctx, row, row.metric ? readings.next().value : undefined, recent)),
    nextCursor,
    stepSeconds: RECENT_STEP_SECONDS,
  };
};
