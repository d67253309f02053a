import 'server-only';
import type { AuditJson, Outcome } from '@/lib/command/define';
import { recordHistoryEvent } from '@/lib/history/events';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { scanKeys } from '@/lib/redis/scan';
import { countTarget, Seen } from './count';
import { cacheContracts, type InvalidationTarget } from './schema';
import { reaches, resolveTarget, type Target } from './target';

const COUNT_WITHIN_MS = 2000;
const CHUNK = 100;
const MEASURED_ONE_IN = 8;

interface Tally {
  matched: number;
  deleted: number;
  chunks: number;
  measured: number;
  measuredBytes: number;
}

/** The target's keys in chunks, each key once. A chunk may be empty, so that cancelling never waits for a match. */
async function* chunksOf(ctx: JobContext, target: Target): AsyncGenerator<Key[]> {
  if (target.kind === 'keys') {
    for (let i = 0; i < target.keys.length; i += CHUNK) yield target.keys.slice(i, i + CHUNK);
    return;
  }
  const seen = new Seen();
  for await (const { keys } of scanKeys(ctx.connection, { match: target.match })) {
    yield keys.filter((key) => reaches(ctx.catalog, target, key) && seen.isNew(key));
  }
}

const measure = async (ctx: JobContext, key: Key, tally: Tally): Promise<void> => {
  const [bytes] = await ctx.connection.background.readMany([
    ['MEMORY USAGE', key] as const satisfies ReadCommand,
  ]);
  if (typeof bytes !== 'number') return;
  tally.measured += 1;
  tally.measuredBytes += bytes;
};

/** Deletes one chunk; now and then the size of its first key stands for those of many. */
const deleteChunk = async (ctx: JobContext, keys: readonly Key[], tally: Tally): Promise<void> => {
  if (tally.chunks % MEASURED_ONE_IN === 0) await measure(ctx, keys[0]!, tally);
  tally.chunks += 1;
  const replies = await ctx.writer.writeMany(keys.map((key) => ['UNLINK', key] as const));
  tally.matched += keys.length;
  tally.deleted += replies.reduce((sum, deleted) => sum + deleted, 0);
};

const resultOf = (tally: Tally): Record<string, unknown> => ({
  matched: tally.matched,
  deleted: tally.deleted,
  vanished: tally.matched - tally.deleted,
  memoryBytes: tally.measured > 0 ? Math.round((tally.measuredBytes / tally.measured) * tally.deleted) : null,
  undoUntil: null,
});

const mark = (ctx: JobContext, target: Target, tally: Tally): Promise<void> => {
  const what = target.kind === 'family' ? target.family.title : 'Keys';
  const text = `${what} invalidated: ${tally.deleted} ${tally.deleted === 1 ? 'key' : 'keys'}`;
  return recordHistoryEvent(ctx.store, ctx.connection.config.id, {
    kind: 'invalidation',
    text,
    auditId: ctx.auditId,
  });
};

/** Where a caller's data names nothing any more, nothing is deleted. */
const run = async (ctx: JobContext, data: AuditJson): Promise<Outcome<Record<string, unknown>>> => {
  const target = resolveTarget(ctx.catalog, data as InvalidationTarget);
  const count = await countTarget(ctx, target, COUNT_WITHIN_MS, ctx.signal);
  const tally: Tally = { matched: 0, deleted: 0, chunks: 0, measured: 0, measuredBytes: 0 };
  const total = (): number => Math.max(count.keys, tally.matched);
  await ctx.progress(0, total(), 0);
  for await (const keys of chunksOf(ctx, target)) {
    if (ctx.signal.aborted) break;
    if (keys.length === 0) continue;
    // Noted before the deletion: if the process dies in it, the record says how many are in doubt.
    await ctx.progress(tally.deleted, total(), keys.length);
    if (ctx.signal.aborted) break;
    await deleteChunk(ctx, keys, tally);
  }
  await ctx.progress(tally.deleted, total(), 0);
  if (tally.deleted > 0) await mark(ctx, target, tally).catch(() => undefined);
  return { result: resultOf(tally) };
};

/** Never tried a second time: what was deleted is rebuilt by then, and would be deleted again. */
export const invalidationJob: JobDefinition = {
  action: cacheContracts.invalidate.id,
  permission: 'caches:invalidate',
  attempts: 1,
  run,
};
