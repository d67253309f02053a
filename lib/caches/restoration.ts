import 'server-only';
import { z } from 'zod';
import { appendUndone } from '@/lib/audit/log';
import { undoContract } from '@/lib/audit/schema';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Outcome, Undone } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { may } from '@/lib/permissions';
import type { Arg } from '@/lib/redis/commands';
import { flagsOfTwo } from '@/lib/values/second-person';
import { forgetKept, type KeptEntry, readKept } from './kept';
import type { RestorationResult } from './schema';
import { keysACall, paced, SENSITIVE } from './walk';

/** What an undo needs to know: whether keys are put back or their TTLs, and whether guarded ones are among them. */
const keptChange = z.strictObject({
  of: z.enum(['keys', 'ttls']),
  auditId: z.string(),
  label: z.string(),
  sensitive: z.boolean(),
});
type KeptChange = z.output<typeof keptChange>;

const MOST_BYTES = 512 * 1024;

const expiry = (at: number): string => String(Math.round(at));

/** One script each: how it is called, and what it is given of a key. */
const SCRIPTS = {
  keys: {
    name: 'restore-keys',
    otherCalls: ([states]: readonly unknown[]) => 1 + (states as Buffer).length,
    args: ({ key, expires, value }: KeptEntry): Arg[] => [key, expiry(expires), value],
  },
  ttls: {
    name: 'reset-ttl',
    otherCalls: ([states]: readonly unknown[]) => 1 + (states as Buffer).length,
    args: ({ key, expires, value }: KeptEntry): Arg[] => [key, expiry(expires), expiry(value.readDoubleBE())],
  },
};

const STATES: Record<string, keyof RestorationResult> = {
  r: 'restored',
  b: 'rebuilt',
  e: 'expired',
  x: 'refused',
};
const OUT_OF_MEMORY = 'o';

/** What was kept of a key last is what counts. Parts come the last first. */
const latest = (entries: readonly KeptEntry[], superseded: Set<string>): KeptEntry[] =>
  entries.filter(({ key, mark }) => {
    const id = mark === 'plain' && superseded.size === 0 ? '' : key.toString('latin1');
    if (superseded.has(id)) return false;
    if (mark !== 'plain') superseded.add(id);
    return mark !== 'void';
  });

/** Keys of one node each, as many and as large as one call may take. */
const batchesOf = (ctx: JobContext, entries: readonly KeptEntry[]): KeptEntry[][] => {
  const batches: KeptEntry[][] = [];
  for (const group of ctx.writer.apart(entries)) {
    let bytes = Number.POSITIVE_INFINITY;
    for (const entry of group) {
      const last = batches[batches.length - 1];
      if (!last || last.length >= keysACall(ctx) || bytes + entry.value.length > MOST_BYTES) {
        batches.push([entry]);
        bytes = entry.value.length;
      } else {
        last.push(entry);
        bytes += entry.value.length;
      }
    }
  }
  return batches;
};

const restore = async (ctx: JobContext, kept: KeptChange, result: RestorationResult): Promise<void> => {
  const script = SCRIPTS[kept.of];
  const slowly = paced(ctx);
  const superseded = new Set<string>();
  const isOfTwo = flagsOfTwo(ctx);
  for await (const entries of readKept(ctx.store, kept.auditId)) {
    const wanted = latest(entries, superseded);
    const free = wanted.filter(({ key }) => !isOfTwo(key));
    result.kept += wanted.length - free.length;
    result.refused += wanted.length - free.length;
    for (const batch of batchesOf(ctx, free)) {
      await ctx.progress(result.kept, null, batch.length);
      if (ctx.signal.aborted) return;
      const args = batch.flatMap(script.args);
      const [states] = (await slowly(() => ctx.writer.runNear(script, batch[0]!.key, args))) as [Buffer];
      for (const state of states.toString('latin1')) {
        if (state === OUT_OF_MEMORY)
          throw new Problem('conflict', `The Redis is out of memory: ${result.restored} keys were put back.`);
        result.kept += 1;
        result[STATES[state]!] += 1;
      }
    }
  }
};

const run = async (ctx: JobContext, kept: KeptChange): Promise<Outcome<Record<string, unknown>>> => {
  const result: RestorationResult = { kept: 0, restored: 0, rebuilt: 0, expired: 0, refused: 0 };
  await restore(ctx, kept, result);
  await ctx.progress(result.kept, ctx.signal.aborted ? null : result.kept, 0);
  // Where it did nothing, or was stopped, it can be tried again.
  if (!ctx.signal.aborted && (result.restored > 0 || result.kept === 0)) {
    await appendUndone(ctx.store, kept.auditId, ctx.auditId);
    await forgetKept(ctx.store, kept.auditId);
  }
  return { result: { ...result } };
};

/** Takes back what a job did to many keys. What it put back it finds there again, so once is enough. */
export const restorationJob: JobDefinition<typeof keptChange> = {
  action: undoContract.id,
  permission: 'caches:invalidate',
  payload: keptChange,
  run,
};

/** Begins it. Throws 403 where guarded keys may be among them and the caller may not touch those. */
export const beginRestoration = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const kept = keptChange.parse(data);
  const { sensitive, label } = kept;
  const { role } = ctx.actor;
  if (sensitive && !(role && may(role, SENSITIVE)))
    throw new Problem(
      'forbidden',
      `This puts back sessions, tokens, variables or locks: it needs ${SENSITIVE}.`,
    );
  const jobId = await enqueue(ctx, restorationJob, { data: kept, target: label });
  return { undone: 0, conflicts: [], jobId };
};
