import 'server-only';
import { z } from 'zod';
import type { Outcome } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { batchesOf, paced, pacesOf } from '@/lib/families/batches';
import { recordHistoryEvent } from '@/lib/history/events';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { walkWithRestart } from '@/lib/redis/server-process';
import { checkAndStore } from '../check';
import { conventionContracts, FIXABLE, type FixableRule } from '../schema';
import { basisOf } from './basis';
import { faultsOf } from './faults';
import { FixCounts } from './fix-counts';
import { type Basis, type Fault, type FixBatch, type Fixing, StoredUndo, type UndoneThing } from './fixing';
import { removeKeys } from './remove';
import { renameKeys } from './rename';
import { setTtls } from './set-ttls';
import { trimKeys } from './trim';

const payload = z.strictObject({
  rule: z.enum(FIXABLE),
  family: z.string().nullable(),
  dryRun: z.boolean(),
  withoutUndo: z.boolean(),
  label: z.string(),
});
type FixWork = z.output<typeof payload>;

const TTLS = { fix: setTtls, of: 'ttls' } as const;
const RENAMES = { fix: renameKeys, of: 'renames' } as const;

/** How the keys of each rule are fixed. */
const FIXES: Record<FixableRule, { fix: FixBatch; of: UndoneThing }> = {
  'ttl-required': TTLS,
  'ttl-band': TTLS,
  'ttl-jitter': TTLS,
  'lock-ttl': TTLS,
  'null-marker-ttl': TTLS,
  'name-format': RENAMES,
  'name-case': RENAMES,
  'name-empty-part': RENAMES,
  'collection-length': { fix: trimKeys, of: 'trims' },
  'abandoned-keys': { fix: removeKeys, of: 'keys' },
};

const keyOf = ({ facts }: Fault): Key => facts.key;

const familyOf = ({ catalog }: JobContext, id: string | null): Family | null => {
  if (id === null) return null;
  const family = catalog.families.find((candidate) => candidate.id === id);
  if (!family) throw new Problem('not_found', 'The catalog no longer has this family.');
  return family;
};

/** One run of the job. */
class Fix {
  readonly counts: FixCounts;
  private readonly family: Family | null;

  constructor(
    private readonly ctx: JobContext,
    private readonly work: FixWork,
    private readonly basis: Basis,
  ) {
    this.family = familyOf(ctx, work.family);
    this.counts = new FixCounts(work.rule, work.dryRun);
  }

  async run(): Promise<void> {
    const { ctx, counts, work } = this;
    await this.fixAll(FIXES[work.rule]);
    if (work.dryRun || ctx.signal.aborted) return;
    await ctx.progress(counts.matched, null, 0);
    counts.remaining = await this.countRemaining().catch((error: unknown) => {
      if (ctx.signal.aborted) return null;
      throw error;
    });
  }

  /** The remaining violations without waived ones, from a new report, so that the page shows the same number. */
  private async countRemaining(): Promise<number | null> {
    const { store, connection, signal, now, isFaster } = this.ctx;
    const { rule, family } = this.work;
    const { rules } = await checkAndStore(store, connection, { signal, now, isFaster });
    const { count, families } = rules.find(({ id }) => id === rule)!;
    if (count === null || family === null) return count;
    const own = families.find((row) => row.family === family && !row.waived);
    return own?.count ?? 0;
  }

  private async fixAll({ fix, of }: { fix: FixBatch; of: UndoneThing }): Promise<void> {
    const { ctx, counts, basis, work } = this;
    const { dryRun, withoutUndo } = work;
    const undo = dryRun || withoutUndo ? null : new StoredUndo(ctx, of, work.label);
    const paceOf = pacesOf(ctx, 'ttl');
    /** A key of the current batch, whose keys are all on one node. */
    let near: Key | null = null;
    const throttled: Fixing['throttled'] = (call, keys = 1) => paced(ctx, paceOf(near!), keys, call);
    let isNewName = distinct();
    const fixing: Fixing = {
      ctx,
      basis,
      dryRun,
      withoutUndo,
      counts,
      undo,
      throttled,
      isNewName: (name) => isNewName(name),
    };
    const restarted = () => {
      counts.restarted();
      isNewName = distinct();
    };
    const restart = { signal: ctx.signal, restarted };
    try {
      for await (const batch of walkWithRestart(
        ctx.connection,
        () => batchesOf(ctx, keyOf, (near) => paceOf(near).keys(), this.faults()),
        restart,
      )) {
        await ctx.progress(counts.matched, null, dryRun ? 0 : batch.length);
        if (ctx.signal.aborted) break;
        near = keyOf(batch[0]!);
        await fix(fixing, batch);
      }
    } finally {
      counts.undoUntil = undo?.until ?? null;
    }
    await undo?.finish();
  }

  private faults(): AsyncGenerator<Fault[]> {
    return faultsOf(this.ctx, this.basis, this.family, this.counts);
  }
}

/** Shorter TTLs and removed keys may cause misses, so both are marked on the charts. */
const markOnCharts = async (
  ctx: JobContext,
  { rule, family, dryRun }: FixWork,
  keys: number,
): Promise<void> => {
  const isRemoval = FIXES[rule].of === 'keys';
  if (dryRun || keys === 0 || !(isRemoval || FIXES[rule] === TTLS)) return;
  const kind = isRemoval ? ('invalidation' as const) : ('expiry' as const);
  const text = `${rule} fixed: ${keys} ${keys === 1 ? 'key' : 'keys'} ${isRemoval ? 'removed' : 'with another TTL'}`;
  const event = { kind, text, auditId: ctx.auditId, family };
  await recordHistoryEvent(ctx.store, ctx.connection.config.id, event).catch(() => undefined);
};

const run = async (ctx: JobContext, work: FixWork): Promise<Outcome<Record<string, unknown>>> => {
  const fix = new Fix(ctx, work, await basisOf(ctx, work.rule));
  const { counts } = fix;
  const outcome = async () => ({ result: { ...(await counts.result(ctx)) } });
  await fix
    .run()
    .catch(async (error: unknown) => {
      // A cancelled scan is not a failure: the result is what was done so far.
      if (ctx.signal.aborted) return;
      throw new PartialFailure(error, await outcome());
    })
    .finally(() => markOnCharts(ctx, work, counts.fixed));
  await ctx.progress(counts.matched, ctx.signal.aborted ? null : counts.matched, 0);
  return outcome();
};

/** Fixes the violations of a rule. Never retried, because nobody requested a second run. */
export const fixJob: JobDefinition<typeof payload> = {
  action: conventionContracts.fix.id,
  permission: 'caches:invalidate',
  payload,
  isPaced: true,
  run,
};
