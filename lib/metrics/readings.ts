import 'server-only';
import pLimit from 'p-limit';
import { processWidePer } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isOfKey, isWrongType } from '@/lib/redis/failure';
import { SECOND } from '@/lib/time';
import { readEach } from '@/lib/values/read-each';
import { MAX_ORDERED_FIELDS, readFields, type Source, type StoredField } from './fields';
import { type Figure, figureOf } from './figure';
import type { MetricKey } from './metric-keys';
import { MAX_FIELDS, type MetricProblem } from './schema';

/** A key as it is now. */
export interface Reading {
  /** For a metric; null where it is unreadable, and for statistics. */
  figure: Figure | null;
  /** For statistics; null where they are unreadable, and for a metric. */
  fields: StoredField[] | null;
  /** Milliseconds; null without an expiry. */
  ttlMs: number | null;
  /** The problem of the key; a value's is in its figure. */
  problem: Exclude<MetricProblem, 'notANumber' | 'secret'> | null;
}

type Wanted = Pick<MetricKey, 'key' | 'kind'>;

/** Bytes of a value that are read; longer values are never numbers. */
const MAX_BYTES = 64;
/** Statistics read at the same time. */
export const BATCH_SIZE = 20;

const NOTHING: Reading = { figure: null, fields: null, ttlMs: null, problem: null };

const withProblem = (problem: Reading['problem'], ttlMs: number | null = null): Reading => ({
  ...NOTHING,
  ttlMs,
  problem,
});

/** A refusal about this key is its problem; any other failure is thrown. */
const refused = (error: Error, ttlMs: number | null): Reading => {
  if (isWrongType(error)) return withProblem('wrongType', ttlMs);
  if (isOfKey(error)) return withProblem('notPermitted', ttlMs);
  throw error;
};

const ttlOf = (pttl: number | Error): number | null => (typeof pttl === 'number' && pttl >= 0 ? pttl : null);

const readMetrics = async ({ reader }: Source, keys: readonly Key[]): Promise<Reading[]> => {
  if (keys.length === 0) return [];
  const [values, ttls] = await Promise.all([
    reader.getStrings(keys, MAX_BYTES),
    reader.readMany(keys.map((key) => ['PTTL', key] as const)),
  ]);
  return values.map((value, i): Reading => {
    const ttlMs = ttlOf(ttls[i]!);
    if (value instanceof Error) return refused(value, ttlMs);
    if (value === null) return withProblem('gone');
    return { ...NOTHING, figure: figureOf(value.bytes, value.length), ttlMs };
  });
};

const readOneStats = async (
  source: Source,
  key: Key,
  { length, ttlMs }: { length: number; ttlMs: number | null },
): Promise<Reading> => {
  try {
    const fields = await readFields(source, key, length);
    if (fields === null) return withProblem(length > MAX_ORDERED_FIELDS ? 'tooManyFields' : 'tooLong', ttlMs);
    if (fields.length === 0) return withProblem('gone');
    return { ...NOTHING, fields, ttlMs, problem: length > MAX_FIELDS ? 'tooManyFields' : null };
  } catch (error) {
    return refused(error as Error, ttlMs);
  }
};

const readStats = async (source: Source, keys: readonly Key[]): Promise<Reading[]> => {
  if (keys.length === 0) return [];
  const replies = await readEach(source.reader, keys, (key) => [
    ['HLEN', key],
    ['PTTL', key],
  ]);
  return pLimit(BATCH_SIZE).map(keys, async (key, i): Promise<Reading> => {
    const [length, pttl] = replies[i] as [number | Error, number | Error];
    const ttlMs = ttlOf(pttl);
    if (length instanceof Error) return refused(length, ttlMs);
    if (!length) return withProblem('gone');
    return readOneStats(source, key, { length, ttlMs });
  });
};

/**
 * Metrics as they are now, in order, by bounded reads in a few round trips. Throws a 503 `Problem` where the server does
 * not answer.
 */
export const readNow = async (source: Source, wanted: readonly Wanted[]): Promise<Reading[]> => {
  const of = (kind: Wanted['kind']): Key[] =>
    wanted.filter((metric) => metric.kind === kind).map(({ key }) => key);
  const [metrics, stats] = await Promise.all([
    readMetrics(source, of('metric')),
    readStats(source, of('stats')),
  ]);
  const [nextMetric, nextStats] = [metrics.values(), stats.values()];
  return wanted.map(({ kind }) => (kind === 'stats' ? nextStats : nextMetric).next().value!);
};

/** Readers share a reading this long, a little less than an overview waits before it asks again. */
const SHARED_MS = 4 * SECOND;

type Shared = Map<string, Promise<Reading>>;
const sharedOf = processWidePer('metric readings', (_: ConnectionHandle): Shared => new Map());

const idOf = ({ key, kind }: Wanted): string => `${kind} ${key.toString('latin1')}`;

/** Reads what is not there. It stays until it is too old, or has failed: nothing else replaces it meanwhile. */
const share = (handle: ConnectionHandle, readings: Shared, due: readonly Wanted[]): void => {
  const reading = readNow({ handle, reader: handle.reader, purpose: 'read' }, due);
  const forget = () => {
    for (const metric of due) readings.delete(idOf(metric));
  };
  for (const [i, metric] of due.entries()) {
    const own = reading.then((all) => all[i]!);
    // Each reader that waits gets the error.
    own.catch(() => undefined);
    readings.set(idOf(metric), own);
  }
  reading.then(() => setTimeout(forget, SHARED_MS).unref(), forget);
};

/** As `readNow`, and shared for four seconds: however many ask, a key is read once in that time. */
export const readShared = async (handle: ConnectionHandle, wanted: readonly Wanted[]): Promise<Reading[]> => {
  const readings = sharedOf(handle);
  const due = wanted.filter((metric) => !readings.has(idOf(metric)));
  if (due.length > 0) share(handle, readings, due);
  return Promise.all(wanted.map((metric) => readings.get(idOf(metric))!));
};
