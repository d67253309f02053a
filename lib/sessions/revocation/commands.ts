import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Impact } from '@/lib/command/define';
import type { JobDefinition } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { readIndexSize } from '../index-entries';
import { exceedsRequestTime } from '../keyspace';
import { auditedFilter } from '../readable';
import { previewRevocation, revoke } from './revoke';
import { revocationContracts } from './schema';
import { type Scope, scopeOf, usersOf } from './scope';
import { MAX_AUDITED } from './summary';
import type { Revoked, ScopePart } from './targets';

const MAX_AUDITED_LENGTH = 200;
/** More sessions than this are revoked by a job. */
const MAX_WITHOUT_JOB = 500;

const selectionOf = ({ handles, userId, filter, also }: Revoked): Revoked => ({
  ...(handles ? { handles } : {}),
  ...(userId !== undefined ? { userId } : {}),
  ...(filter ? { filter } : {}),
  ...(also ? { also } : {}),
});

const textOf = (filter: object): string =>
  Object.entries(auditedFilter(filter, MAX_AUDITED_LENGTH))
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const targetLine = ({ userId, handles = [], filter }: Revoked): string => {
  if (userId !== undefined) return `user ${userId} (all sessions)`;
  if (filter) return `sessions with ${textOf(filter)}`;
  const users = [...usersOf(handles)];
  const sessions = `${handles.length} ${handles.length === 1 ? 'session' : 'sessions'}`;
  return users.length === 1 ? `user ${users[0]} (${sessions})` : `${users.length} users (${sessions})`;
};

/** All parts of a scope; null where there are too many for one request. */
const readParts = async (scope: Scope): Promise<ScopePart[] | null> => {
  const parts: ScopePart[] = [];
  let count = 0;
  for await (const part of scope.parts()) {
    parts.push(part);
    count += part.targets.length;
    if (count > MAX_WITHOUT_JOB) return null;
  }
  return parts;
};

const hasLongIndex = async (ctx: ReadContext, userId: string): Promise<boolean> =>
  (await readIndexSize(ctx, userId)) > MAX_WITHOUT_JOB;

/**
 * Whether a request would take too long: a long index, or a keyspace that takes longer than two seconds to scan twice,
 * for the revocation and its verification. Handles found in an index need no scan, unless verification tokens are
 * included, which only a scan finds.
 */
const needsJob = async (
  ctx: ReadContext,
  { handles, userId, also }: Revoked,
  scope: Scope,
): Promise<boolean> => {
  if (handles)
    return (
      (!scope.isResolved || also?.includes('verification') === true) && (await exceedsRequestTime(ctx, 1))
    );
  if (await exceedsRequestTime(ctx, 2)) return true;
  return userId !== undefined && (await hasLongIndex(ctx, userId));
};

/** Never retried: a retry would also end sessions that began meanwhile. */
export const revocationJob: JobDefinition<typeof revocationContracts.revoke.input> = {
  action: revocationContracts.revoke.id,
  permission: 'sessions:revoke',
  unit: 'sessions',
  urgent: true,
  payload: revocationContracts.revoke.input,
  run: async (ctx, selection) => {
    const before = (revoked: number, next: number) => ctx.progress(revoked, null, next);
    const { result, ...audit } = await revoke(ctx, selection, { signal: ctx.signal, before });
    await ctx.progress(result.revoked, result.matched, 0);
    return { result, ...audit };
  },
};

const impact = async (ctx: ReadContext, input: Revoked): Promise<Impact> => {
  const { remaining, users, exact } = await previewRevocation(ctx, selectionOf(input));
  // Counts that are not exact are minimums.
  return { count: exact ? remaining : (input.handles?.length ?? null), facts: { remaining, users, exact } };
};

/** Revokes sessions and verifies it. Cannot be undone, because tokens are never stored. */
export const revokeSessions = defineCommand({
  contract: revocationContracts.revoke,
  target: targetLine,
  redact: ({ userId, handles, filter, also }): AuditJson => ({
    userId: userId ?? null,
    handles: handles?.slice(0, MAX_AUDITED) ?? null,
    count: handles?.length ?? null,
    filter: filter ? auditedFilter(filter, MAX_AUDITED_LENGTH) : null,
    also: also ?? [],
  }),
  // Every deletion needs the typed confirmation, even that of one session.
  needsConfirmation: () => true,
  // A condition may mean everybody.
  needsStepUp: (_, { filter }) => filter !== undefined,
  preview: (ctx, input) => previewRevocation(ctx, input),
  impact,
  actsAs: ({ also = [] }) => also.map((kind) => `tokens.${kind}.revoke`),
  run: async (ctx, input) => {
    const selection = selectionOf(input);
    const scope = await scopeOf(ctx, selection);
    if (!(await needsJob(ctx, selection, scope))) {
      // Only reading shows how many sessions a filter matches; those read here are not searched again.
      const parts = selection.filter ? await readParts(scope) : undefined;
      if (parts !== null) return revoke(ctx, selection, { scope, parts });
    }
    const target = targetLine(selection);
    const jobId = await enqueue(ctx, revocationJob, { data: selection, target });
    return { result: { jobId }, continues: true };
  },
});
