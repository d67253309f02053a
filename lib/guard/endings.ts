import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { schedule, unschedule } from '@/lib/jobs/schedule';
import { withoutStore } from '@/lib/redis/failure';
import { type BanNote, forgetPlan, leavePlan, type Noted, writeBans } from './bans';
import { count } from './changes';
import { guardContracts } from './schema';

/** The bans of one change that end together are one piece of scheduled work, which their notes name. */
export const PLANNED_BY = guardContracts.blacklistAdd.id;

const grouped = <K>(notes: readonly Noted[], by: (note: BanNote) => K): Map<K, Noted[]> => {
  const groups = new Map<K, Noted[]>();
  for (const noted of notes) {
    const key = by(noted[1]);
    const group = groups.get(key);
    if (group) group.push(noted);
    else groups.set(key, [noted]);
  }
  return groups;
};

const linesOf = (ips: readonly string[]): string =>
  ips.length === 1 ? ips[0]! : count(ips.length, 'address', 'addresses');

/** Plans the end of bans that are about to be made. Returns the plan's id, for their notes. */
export const planEnd = async (ctx: WriteContext, ips: readonly string[], at: number): Promise<string> =>
  (await schedule(ctx, { action: PLANNED_BY, target: linesOf(ips), at, data: {} })).id;

/** Takes a plan out that lifts nothing any more; what is just being carried out ends by itself. */
const dropPlan = async (ctx: WriteContext, plan: string): Promise<void> => {
  await unschedule(ctx.store, ctx.connection.config.id, plan).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
  });
  await forgetPlan(ctx, plan);
};

/** A plan none of whose bans came to be. */
export const cancelEnd = (ctx: WriteContext, plan: string): Promise<void> =>
  dropPlan(ctx, plan).catch(withoutStore(undefined));

/** Bans that were lifted, or end at another time, leave their plans. */
export const leavePlans = async (ctx: WriteContext, notes: readonly Noted[]): Promise<void> => {
  for (const [plan, members] of grouped(notes, (note) => note.plan)) {
    if (plan === null) continue;
    const left = leavePlan(
      ctx,
      plan,
      members.map(([ip]) => ip),
    );
    if ((await left.catch(withoutStore(1))) === 0) await cancelEnd(ctx, plan);
  }
};

/** Writes notes with their ends planned anew. What should have ended by now was brought back by somebody: it stays. */
export const restoreNotes = async (ctx: WriteContext, notes: readonly Noted[]): Promise<void> => {
  const now = ctx.now();
  const ends = ({ expiresAt }: BanNote): number => (expiresAt !== null && expiresAt > now ? expiresAt : 0);
  for (const [expiresAt, group] of grouped(notes, ends)) {
    const ips = group.map(([ip]) => ip);
    const end =
      expiresAt === 0
        ? { expiresAt: null, plan: null }
        : { expiresAt, plan: await planEnd(ctx, ips, expiresAt) };
    await writeBans(
      ctx,
      group.map(([ip, note]): Noted => [ip, { ...note, ...end }]),
    );
  }
};
