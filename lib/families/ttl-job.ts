import 'server-only';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Outcome } from '@/lib/command/define';
import { storeUndo } from '@/lib/command/undo-record';
import { env } from '@/lib/configuration';
import { recordHistoryEvent } from '@/lib/history/events';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import { walkWithRestart } from '@/lib/redis/server-process';
import { deleteSnapshots, Snapshots } from '@/lib/snapshots/snapshots';
import { iso, SECOND } from '@/lib/time';
import { batchesOf, itself, keysOf, newTargetScan, paced, pacesOf } from './batches';
import { mayChangeSensitive } from './guarded';
import { resolveTarget } from './resolve-target';
import { familyContracts, invalidationTarget, type TtlResult } from './schema';
import { formerExpiries, type ShortenedTtl, shortenTtls } from './shorten-ttl';
import { chartName } from './target';

const payload = z.strictObject({
  target: invalidationTarget,
  ttlSeconds: z.number(),
  jitterSeconds: z.number(),
  dryRun: z.boolean(),
  total: z.number(),
});
type TtlWork = z.output<typeof payload>;

/** Uniformly distributed over the jitter, to the millisecond. */
const ttlOf = ({ ttlSeconds, jitterSeconds }: TtlWork): number =>
  ttlSeconds * SECOND + randomInt(jitterSeconds * SECOND + 1);

const count = (result: TtlResult, keys: readonly ShortenedTtl[]): void => {
  result.matched += keys.length;
  for (const { state } of keys) if (state !== 'changed') result[state] += 1;
};

const changeAll = async (
  ctx: JobContext,
  work: TtlWork,
  result: TtlResult,
  kept: Snapshots | null,
): Promise<void> => {
  const target = resolveTarget(ctx, work.target);
  const met = newTargetScan();
  const paceOf = pacesOf(ctx, 'ttl');
  const sensitive = mayChangeSensitive(ctx, target);
  const record = { of: 'ttls', auditId: ctx.auditId, label: target.label, sensitive };
  const batches = () =>
    batchesOf(ctx, itself, (near) => paceOf(near).keys(), keysOf(ctx, { target, total: work.total }, met));
  // No restarts: all keys still exist, so a restarted walk would change them a second time.
  for await (const batch of walkWithRestart(ctx.connection, batches, { maxRestarts: 0 })) {
    await ctx.progress(result.matched, Math.max(work.total, result.matched), batch.length);
    if (ctx.signal.aborted) break;
    const wanted = batch.map((key) => ({ key, ttlMs: ttlOf(work) }));
    const keys = await paced(ctx, paceOf(batch[0]!), batch.length, () =>
      shortenTtls(ctx, wanted, work.dryRun),
    );
    count(result, keys);
    const changed = formerExpiries(keys);
    if (!kept || changed.length === 0) continue;
    if (kept.keys === 0) await storeUndo(ctx.store, ctx.auditId, record);
    await kept.add(await kept.prepare(changed), changed.length);
  }
  result.guarded = met.guarded;
};

const run = async (ctx: JobContext, work: TtlWork): Promise<Outcome<Record<string, unknown>>> => {
  const result: TtlResult = {
    matched: 0,
    added: 0,
    shortened: 0,
    shorter: 0,
    vanished: 0,
    guarded: 0,
    dryRun: work.dryRun,
    undoUntil: null,
  };
  // No value is lost, so keys beyond the undo limit are changed, too.
  const kept = work.dryRun || work.total > env().undo.maxKeys ? null : new Snapshots(ctx.store, ctx.auditId);
  await changeAll(ctx, work, result, kept).catch((error: unknown) => {
    throw new PartialFailure(error, { result: { ...result } });
  });
  await ctx.progress(result.matched, Math.max(work.total, result.matched), 0);
  await mark(ctx, work, result.added + result.shortened);
  // The former TTL of an expired key cannot be restored.
  const longest = (work.ttlSeconds + work.jitterSeconds) * SECOND;
  if (kept && kept.keys > 0) result.undoUntil = iso(ctx.now() + Math.min(kept.lifetimeMs, longest));
  else await deleteSnapshots(ctx.store, ctx.auditId);
  return { result: { ...result } };
};

/** Shorter TTLs cause misses later, so they are marked on the charts. */
const mark = async (ctx: JobContext, work: TtlWork, keys: number): Promise<void> => {
  if (work.dryRun || keys === 0) return;
  const target = resolveTarget(ctx, work.target);
  const text = `${chartName(target)}: TTL of ${keys} ${keys === 1 ? 'key' : 'keys'} set to ${work.ttlSeconds} s`;
  const event = { kind: 'expiry' as const, text, auditId: ctx.auditId, family: target.family?.id ?? null };
  await recordHistoryEvent(ctx.store, ctx.connection.config.id, event).catch(() => undefined);
};

/** Never retried, because nobody requested a second run. */
export const ttlJob: JobDefinition<typeof payload> = {
  action: familyContracts.setTtl.id,
  permission: 'caches:invalidate',
  payload,
  isPaced: true,
  run,
};
