import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import type { JobDefinition } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { indexKeyOf } from '../keys';
import { exceedsRequestTime } from '../keyspace';
import { auditedFilter } from '../readable';
import { previewRevocation, revoke } from './revoke';
import { revocationContracts } from './schema';
import { type Scope, scopeOf, usersOf } from './scope';
import type { Revoked, ScopePart } from './targets';
import { MAX_AUDITED } from './walk';

const MAX_AUDITED_LENGTH = 200;
/** More sessions than this are ended by a job. */
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

/** All parts of a scope; null where there is too much for one answer. */
const readParts = async (scope: Scope): Promise<ScopePart[] | null> => {
  const parts: ScopePart[] = [];
  let found = 0;
  for await (const part of scope.parts()) {
    parts.push(part);
    found += part.targets.length;
    if (found > MAX_WITHOUT_JOB) return null;
  }
  return parts;
};

const hasLongIndex = async (ctx: ReadContext, userId: string): Promise<boolean> => {
  const [entries] = await ctx.reader.readMany([['SCARD', indexKeyOf(ctx, userId)]]);
  return typeof entries === 'number' && entries > MAX_WITHOUT_JOB;
};

/**
 * Whether somebody would wait too long: a long index, or a keyspace that takes longer than two seconds to go through
 * twice, for the act and for the verification. Handles that an index knows are ended at once wherever, unless
 * verifications go along: those are found by a scan.
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

/** Never tried a second time: whoever signed in meanwhile would be signed out as well. */
export const revocationJob: JobDefinition<typeof revocationContracts.revoke.input> = {
  action: revocationContracts.revoke.id,
  permission: 'sessions:revoke',
  urgent: true,
  payload: revocationContracts.revoke.input,
  run: async (ctx, selection) => {
    const before = (revoked: number, next: number) => ctx.progress(revoked, null, next);
    const { result, ...audit } = await revoke(ctx, selection, { signal: ctx.signal, before });
    await ctx.progress(result.revoked, result.matched, 0);
    return { result, ...audit };
  },
};

/** Ends sessions, with a proof. Cannot be undone: a token is never kept. */
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
  // Whatever deletes needs the typed confirmation, be it one session.
  needsConfirmation: () => true,
  preview: (ctx, input) => previewRevocation(ctx, input),
  run: async (ctx, input) => {
    const selection = selectionOf(input);
    const scope = await scopeOf(ctx, selection);
    if (!(await needsJob(ctx, selection, scope))) {
      // Of a filter only reading tells how much it is; what was read is not searched for again.
      const parts = selection.filter ? await readParts(scope) : undefined;
      if (parts !== null) return revoke(ctx, selection, { scope, parts });
    }
    const target = targetLine(selection);
    const jobId = await enqueue(ctx, revocationJob, { data: selection, target });
    return { result: { jobId }, continues: true };
  },
});
