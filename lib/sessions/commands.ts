import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import type { Key } from '@/lib/redis/commands';
import { findAll } from './find';
import { fingerprintOf, indexKeyOf } from './keys';
import { readStillValid } from './proof';
import { sessionContracts } from './schema';
import { type RevokeInput, readAliveTargets, type Selection, select, type Target } from './targets';
import { oauthKeysOf } from './tokens';

/** Script calls on their way at once, and keys in one UNLINK pipeline. */
const AT_ONCE = 100;
const MOST_AUDITED = 50;

/** Ends each session in one atomic step. True where anything of it was still there. */
const end = async (ctx: WriteContext, targets: readonly Target[]): Promise<boolean[]> => {
  const ended: boolean[] = [];
  for (let from = 0; from < targets.length; from += AT_ONCE) {
    const replies = await Promise.all(
      targets
        .slice(from, from + AT_ONCE)
        .map(({ userId, token, key, legacy }) =>
          ctx.writer.run('revoke-session', [key, indexKeyOf(ctx, userId), ...legacy], [token]),
        ),
    );
    for (const [hash, , legacy] of replies) ended.push(Number(hash) + Number(legacy) > 0);
  }
  return ended;
};

const unlink = async (ctx: WriteContext, keys: readonly Key[]): Promise<number> => {
  let gone = 0;
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const slice = keys.slice(from, from + AT_ONCE);
    const replies = await ctx.writer.writeMany(slice.map((key) => ['UNLINK', key] as const));
    gone += replies.reduce((sum, reply) => sum + reply, 0);
  }
  return gone;
};

const endAlso = async (ctx: WriteContext, { also }: RevokeInput, { users, found }: Selection) => ({
  oauth: also?.includes('oauth')
    ? await unlink(
        ctx,
        [...users].flatMap((userId) => oauthKeysOf(ctx, userId).map(({ key }) => key)),
      )
    : 0,
  verification: also?.includes('verification')
    ? await unlink(
        ctx,
        found.verifications.map(({ key }) => key),
      )
    : 0,
});

/** Stale index entries of a user are cleaned up on the way; they are no sessions and count as nothing. */
const countable = (input: RevokeInput, existing: ReadonlySet<Target>, { targets }: Selection): Target[] =>
  input.userId === undefined ? targets : targets.filter((target) => existing.has(target));

const audited = (targets: readonly Target[]): AuditJson =>
  targets.slice(0, MOST_AUDITED).map(({ key }) => fingerprintOf(key));

/** A user's sessions are searched anew: one may have begun meanwhile. Handles name theirs. */
const lookAgain = async (
  ctx: WriteContext,
  input: RevokeInput,
  { users, found }: Selection,
): Promise<Pick<Selection, 'targets' | 'found'>> =>
  input.userId === undefined
    ? { targets: [], found: await findAll(ctx, users, { complete: found.scanned }) }
    : select(ctx, input);

const revoke = async (ctx: WriteContext, input: RevokeInput) => {
  const selection = await select(ctx, input);
  const { users, targets, unresolved } = selection;
  const existing = await readAliveTargets(ctx, targets);
  const replies = await end(ctx, targets);
  const ended = targets.filter((_, i) => replies[i]);
  for (const target of ended) existing.add(target);
  const matched = countable(input, existing, selection).length + unresolved;
  const alsoRevoked = await endAlso(ctx, input, selection);

  // The proof: everything is read again, by the same way of looking.
  const after = await lookAgain(ctx, input, selection);
  const remaining = await readAliveTargets(ctx, [...targets, ...after.targets.filter(isNew(targets))]);
  const result = {
    matched,
    revoked: ended.length,
    alreadyGone: matched - ended.length,
    remaining: remaining.size,
    alsoRevoked,
    stillValid: await readStillValid(ctx, { users, found: after.found, ended }),
    dryRun: false,
  };
  const { stillValid: _, ...counts } = result;
  return { result, before: { sessions: matched, fingerprints: audited(ended) }, after: counts };
};

const isNew = (before: readonly Target[]) => {
  const known = new Set(before.map(({ key }) => key.toString('latin1')));
  return ({ key }: Target): boolean => !known.has(key.toString('latin1'));
};

/** The same counts, with nothing ended: `revoked` is 0 and `remaining` what would be ended. */
const preview = async (ctx: ReadContext, input: RevokeInput) => {
  const selection = await select(ctx, input);
  const existing = await readAliveTargets(ctx, selection.targets);
  const matched = countable(input, existing, selection).length + selection.unresolved;
  return {
    matched,
    revoked: 0,
    alreadyGone: matched - existing.size,
    remaining: existing.size,
    alsoRevoked: { oauth: 0, verification: 0 },
    stillValid: await readStillValid(ctx, { ...selection, ended: [...existing], without: input.also }),
    dryRun: true,
  };
};

const usersOf = (handles: readonly string[]): Set<string> =>
  new Set(handles.map((handle) => handle.slice(0, handle.indexOf('.'))));

const targetLine = ({ userId, handles = [] }: RevokeInput): string => {
  if (userId !== undefined) return `user ${userId} (all sessions)`;
  const users = [...usersOf(handles)];
  const sessions = `${handles.length} ${handles.length === 1 ? 'session' : 'sessions'}`;
  return users.length === 1 ? `user ${users[0]} (${sessions})` : `${users.length} users (${sessions})`;
};

/** Ends sessions, with a proof. Cannot be undone: a token is never kept. */
export const revokeSessions = defineCommand({
  contract: sessionContracts.revoke,
  target: targetLine,
  redact: ({ userId, handles, also }) => ({
    userId: userId ?? null,
    handles: handles?.slice(0, MOST_AUDITED) ?? null,
    count: handles?.length ?? null,
    also: also ?? [],
  }),
  // Whatever deletes needs the typed confirmation, be it one session.
  farReaching: () => true,
  preview,
  run: revoke,
});
