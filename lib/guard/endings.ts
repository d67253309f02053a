import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { schedule, unschedule } from '@/lib/jobs/schedule';
import { withoutStore } from '@/lib/redis/failure';
import { type BanNote, deletePlan, type Noted, removeFromPlan, writeNotes } from './bans';
import { count } from './changes';
import { guardContracts } from './schema';

/** Action of the scheduled work that lifts bans. Bans of one change with the same end share one plan; their notes name it. */
export const LIFT_ACTION = guardContracts.blacklistAdd.id;

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

const targetOf = (ips: readonly string[]): string =>
  ips.length === 1 ? ips[0]! : count(ips.length, 'address', 'addresses');

/** Schedules the end of bans that are about to be made. Returns the plan's id, for their notes. */
export const scheduleEnd = async (ctx: WriteContext, ips: readonly string[], at: number): Promise<string> =>
  (await schedule(ctx, { action: LIFT_ACTION, target: targetOf(ips), at, data: {} })).id;

/** Cancels a plan that has no bans left. A plan that is running already finishes by itself. */
const dropPlan = async (ctx: WriteContext, plan: string): Promise<void> => {
  await unschedule(ctx.store, ctx.connection.config.id, plan).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
  });
  await deletePlan(ctx, plan);
};

/** Cancels a plan, also while the store is unreachable: it then finds no bans to lift. */
export const cancelEnd = (ctx: WriteContext, plan: string): Promise<void> =>
  dropPlan(ctx, plan).catch(withoutStore(undefined));

/** Removes bans from their plans: they were lifted, or have another end now. */
export const leaveEndings = async (ctx: WriteContext, notes: readonly Noted[]): Promise<void> => {
  for (const [plan, members] of grouped(notes, (note) => note.plan)) {
    if (plan === null) continue;
    const remaining = removeFromPlan(
      ctx,
      plan,
      members.map(([ip]) => ip),
    );
    if ((await remaining.catch(withoutStore(1))) === 0) await cancelEnd(ctx, plan);
  }
};

/** Writes notes and schedules their ends again. A ban that was restored after its end stays without one. */
export const restoreNotes = async (ctx: WriteContext, notes: readonly Noted[]): Promise<void> => {
  const now = ctx.now();
  const ends = ({ expiresAt }: BanNote): number => (expiresAt !== null && expiresAt > now ? expiresAt : 0);
  for (const [expiresAt, group] of grouped(notes, ends)) {
    const ips = group.map(([ip]) => ip);
    const end =
      expiresAt === 0
        ? { expiresAt: null, plan: null }
        : { expiresAt, plan: await scheduleEnd(ctx, ips, expiresAt) };
    await writeNotes(
      ctx,
      group.map(([ip, note]): Noted => [ip, { ...note, ...end }]),
    );
  }
};
