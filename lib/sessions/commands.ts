import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { clean } from './clean';
import { takesLong } from './duration';
import { repairJob, revocationJob } from './job';
import { indexKeyOf } from './keys';
import { preview, revoke } from './revoke';
import { sessionContracts } from './schema';
import { isAtHand, scopeOf, usersOf } from './scope';
import type { Revoked } from './targets';

const MOST_AUDITED = 50;
/** More sessions than this are ended by a job. */
const MOST_AT_ONCE = 500;

const selectionOf = ({ handles, userId, filter, also }: Revoked): Revoked => ({
  ...(handles ? { handles } : {}),
  ...(userId !== undefined ? { userId } : {}),
  ...(filter ? { filter } : {}),
  ...(also ? { also } : {}),
});

/** A filter as the audit log keeps it: somebody may paste a token into it. */
const audited = (filter: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, clean(String(value), 200)]),
  );

const said = (filter: object): string =>
  Object.entries(audited(filter))
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const targetLine = ({ userId, handles = [], filter }: Revoked): string => {
  if (userId !== undefined) return `user ${userId} (all sessions)`;
  if (filter) return `sessions with ${said(filter)}`;
  const users = [...usersOf(handles)];
  const sessions = `${handles.length} ${handles.length === 1 ? 'session' : 'sessions'}`;
  return users.length === 1 ? `user ${users[0]} (${sessions})` : `${users.length} users (${sessions})`;
};

const exceeds = async (ctx: ReadContext, input: Revoked): Promise<boolean> => {
  let found = 0;
  for await (const { targets } of (await scopeOf(ctx, input)).parts()) {
    found += targets.length;
    if (found > MOST_AT_ONCE) return true;
  }
  return false;
};

/**
 * Whether somebody would wait too long: more than 500 sessions, or a keyspace that takes longer than two seconds to
 * go through twice, for the act and for the proof. Handles that an index knows are ended at once wherever, unless
 * verifications go along: those are found by a scan.
 */
const needsJob = async (ctx: ReadContext, input: Revoked): Promise<boolean> => {
  if (input.handles) {
    if (!(await takesLong(ctx, 1))) return false;
    return input.also?.includes('verification') || !(await isAtHand(ctx, input.handles));
  }
  if (await takesLong(ctx, 2)) return true;
  if (input.filter) return exceeds(ctx, input);
  const [entries] = await ctx.reader.readMany([['SCARD', indexKeyOf(ctx, input.userId!)]]);
  return typeof entries === 'number' && entries > MOST_AT_ONCE;
};

/** Ends sessions, with a proof. Cannot be undone: a token is never kept. */
export const revokeSessions = defineCommand({
  contract: sessionContracts.revoke,
  target: targetLine,
  redact: ({ userId, handles, filter, also }): AuditJson => ({
    userId: userId ?? null,
    handles: handles?.slice(0, MOST_AUDITED) ?? null,
    count: handles?.length ?? null,
    filter: filter ? audited(filter) : null,
    also: also ?? [],
  }),
  // Whatever deletes needs the typed confirmation, be it one session.
  farReaching: () => true,
  preview: (ctx, input) => preview(ctx, input),
  run: async (ctx, input) => {
    const selection = selectionOf(input);
    if (!(await needsJob(ctx, selection))) return revoke(ctx, selection);
    const target = targetLine(selection);
    const jobId = await enqueue(ctx, revocationJob, { data: selection, target });
    return { result: { jobId }, continues: true };
  },
});

/** Mends what applications leave behind, as a job. A dry run only counts. */
export const repairSessions = defineCommand({
  contract: sessionContracts.repair,
  target: ({ kinds, dryRun }) => `${[...new Set(kinds)].join(', ')}${dryRun ? ' (dry run)' : ''}`,
  redact: ({ kinds, dryRun }) => ({ kinds, dryRun }),
  // A dry run reaches nothing.
  farReaching: ({ dryRun }) => !dryRun,
  dryRunIsJob: true,
  run: async (ctx, { kinds, dryRun }) => {
    const data = { kinds: [...new Set(kinds)], dryRun };
    const target = `${data.kinds.join(', ')}${dryRun ? ' (dry run)' : ''}`;
    const jobId = await enqueue(ctx, repairJob, { data, target, total: null });
    return { result: { jobId }, continues: true };
  },
});
