import 'server-only';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import { type RepairHooks, repair } from './repair';
import { revoke } from './revoke';
import { sessionContracts } from './schema';

/** Never tried a second time: whoever signed in meanwhile would be signed out as well. */
export const revocationJob: JobDefinition<typeof sessionContracts.revoke.input> = {
  action: sessionContracts.revoke.id,
  permission: 'sessions:revoke',
  payload: sessionContracts.revoke.input,
  run: async (ctx, selection) => {
    const before = (revoked: number, next: number) => ctx.progress(revoked, null, next);
    const { result, ...audit } = await revoke(ctx, selection, { signal: ctx.signal, before });
    await ctx.progress(result.revoked, result.matched, 0);
    return { result, ...audit };
  },
};

/** Progress where nothing changes is noted this often, ms. */
const NOTE_EVERY = SECOND / 2;

/** Keys gone through, of the walk that counts and mends and the one that counts again. */
const progressOf = (ctx: JobContext, size: number, walks: number): RepairHooks['before'] => {
  let noted = Number.NEGATIVE_INFINITY;
  let earlier = 0;
  let last = 0;
  return async (examined, next) => {
    if (examined < last) earlier += size;
    last = examined;
    if (next === 0 && performance.now() - noted < NOTE_EVERY) return;
    noted = performance.now();
    const total = size * walks;
    await ctx.progress(Math.min(earlier + examined, total), total, next);
  };
};

/** May be run again without harm, but nobody asked for it: tried once. */
export const repairJob: JobDefinition<typeof sessionContracts.repair.input> = {
  action: sessionContracts.repair.id,
  permission: 'sessions:revoke',
  payload: sessionContracts.repair.input,
  run: async (ctx, input) => {
    const size = await ctx.reader.size();
    const walks = input.dryRun ? 1 : 2;
    const before = progressOf(ctx, size, walks);
    const result = await repair(ctx, input, { signal: ctx.signal, before });
    await ctx.progress(size * walks, size * walks, 0);
    const { before: found, after } = result;
    return { result: { ...result }, before: { ...found }, after: { ...after, ended: result.ended } };
  },
};
