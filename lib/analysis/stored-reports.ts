import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withoutStore } from '@/lib/redis/failure';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseFields, parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import { unclassifiedKeys } from './report';
import { type AnalysisReport, type AnalysisSummary, analysisReport } from './schema';

/** Maximum number of stored reports per connection, and how long they are kept. */
const MAX_REPORTS = 60;
const STORED_MS = 90 * DAY;
/** Far more than a report with all families needs. */
const MAX_REPORT_BYTES = 64 * 2 ** 20;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const indexKey = (connection: string): Buffer => consoleFamilies.analyses.key({ connection });
const reportKey = (connection: string, id: string): Buffer =>
  consoleFamilies.analysis.key({ connection, id });
const stateKey = (connection: string, id: string): Buffer =>
  consoleFamilies.analysisState.key({ connection, id });

/** What the list shows without reading reports. `resumable` is looked up separately. */
const indexed = z.object({
  at: z.iso.datetime(),
  complete: z.boolean(),
  exact: z.boolean(),
  keys: z.number(),
  memoryBytes: z.number().nullable(),
  families: z.number(),
  unclassified: z.number(),
  scheduled: z.boolean(),
  share: z.number(),
});

const newestFirst = (a: { at: string; id: string }, b: { at: string; id: string }): number =>
  a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1;

type Indexed = z.output<typeof indexed> & { id: string };

const readIndex = async (store: Store, connection: string): Promise<Indexed[]> => {
  const fields = await store.use((redis) => redis.hgetall(indexKey(connection)));
  return parseFields(indexed, fields)
    .map(([id, entry]) => ({ id, ...entry }))
    .sort(newestFirst);
};

/** Deletes reports beyond `MAX_REPORTS`, and those that have expired from the index. */
const prune = async (store: Store, connection: string, now: number): Promise<void> => {
  const entries = await readIndex(store, connection);
  const removed = entries.filter(({ at }, i) => i >= MAX_REPORTS || Date.parse(at) + STORED_MS <= now);
  if (removed.length === 0) return;
  await store.use(async (redis) => {
    const pipeline = redis.multi().hdel(indexKey(connection), ...removed.map(({ id }) => id));
    for (const { id } of removed) pipeline.unlink(reportKey(connection, id));
    allReplies(await pipeline.exec());
  });
};

/** Stores a report; the oldest beyond 60 of a connection, and those older than 90 days, are deleted. */
export const writeReport = async (
  store: Store,
  connection: string,
  report: AnalysisReport,
): Promise<void> => {
  const { at, complete, exact, keys, memoryBytes, scheduled, share } = report;
  const entry: z.input<typeof indexed> = {
    at,
    complete,
    exact,
    keys,
    memoryBytes,
    scheduled,
    share,
    families: report.families.length,
    unclassified: unclassifiedKeys(report),
  };
  const body = await deflate(JSON.stringify(report));
  await store.use(async (redis) => {
    const pipeline = redis.multi().set(reportKey(connection, report.id), body, 'PX', STORED_MS);
    pipeline.hset(indexKey(connection), report.id, JSON.stringify(entry));
    pipeline.pexpire(indexKey(connection), STORED_MS);
    allReplies(await pipeline.exec());
  });
  // The report is stored, and the next one prunes again.
  await prune(store, connection, Date.parse(at)).catch(withoutStore(undefined));
};

/** Which of these have a state to continue from. */
const withState = (store: Store, connection: string, ids: readonly string[]): Promise<Set<string>> =>
  store.use(async (redis) => {
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.exists(stateKey(connection, id));
    const replies = ids.length === 0 ? [] : allReplies(await pipeline.exec());
    return new Set(ids.filter((_, i) => replies[i] === 1));
  });

/** Summaries of all stored reports, newest first. */
export const readSummaries = async (store: Store, connection: string): Promise<AnalysisSummary[]> => {
  const entries = await readIndex(store, connection);
  const partial = entries.filter(({ complete }) => !complete).map(({ id }) => id);
  const resumable = await withState(store, connection, partial);
  return entries.map((entry) => ({ ...entry, resumable: resumable.has(entry.id) }));
};

/** Null where it is not stored any more. */
export const readReport = async (
  store: Store,
  connection: string,
  id: string,
): Promise<AnalysisReport | null> => {
  const body = await store.use((redis) => redis.getBuffer(reportKey(connection, id)));
  if (!body) return null;
  const text = await inflate(body, { maxOutputLength: MAX_REPORT_BYTES }).catch(() => null);
  const report = parseStored(analysisReport, text?.toString('utf8'));
  if (!report) return null;
  const resumable = !report.complete && (await withState(store, connection, [id])).has(id);
  return { ...report, resumable };
};
