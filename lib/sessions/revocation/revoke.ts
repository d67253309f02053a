import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { fallbackFor, Problem, withDetail } from '@/lib/errors';
import { keyId } from '@/lib/keyspace/display';
import { countWithRestart, walkWithRestart } from '@/lib/redis/server-process';
import type { VerificationKey } from '@/lib/tokens/keys';
import { readOauthKeysOf } from '@/lib/tokens/of-users';
import { changeOwned, endApart, isApart } from '../change';
import { unlinkKeys } from '../keyspace';
import { scanUsers } from '../scan-users';
import type { Revocation } from './schema';
import { type Scope, scopeOf, usersOf } from './scope';
import { MAX_USERS, readStillValid } from './still-valid';
import {
  MAX_AUDITED,
  type RevocationHooks,
  type RevocationSummary,
  type Sink,
  walk,
  withRevokedCount,
} from './summary';
import { type Revoked, readExistingTargets, type ScopePart, type Target } from './targets';

/** Concurrent script calls. */
const BATCH_SIZE = 100;
/** Time-out of a dry run in a large keyspace, ms; then it returns what it has found. */
const PREVIEW_TIMEOUT_MS = 20_000;

const countOnly: Sink = async () => new Set();

/** Returns how many keys of the session it deleted. */
const revokeOne = async (ctx: WriteContext, target: Target): Promise<number> => {
  const { token, key, index, legacy, owner } = target;
  if (owner !== null) {
    const changed = await changeOwned(ctx, target, { action: 'revoke', expected: owner, legacy });
    return changed.session + changed.legacy;
  }
  if (isApart(ctx, target)) {
    const end = async () => ({ session: await ctx.writer.unlink([key]), keepsEntry: false });
    const ended = await endApart(ctx, target, legacy, end);
    return ended.session + ended.legacy;
  }
  // Without an index the script gets the session's own key, which it has already deleted.
  const [hash, , others] = await ctx.writer.run('revoke-session', [key, index ?? key, ...legacy], [token]);
  return Number(hash) + Number(others);
};

/**
 * Ends each session in one atomic step; in a cluster in an order that may be interrupted anywhere. If one fails, the
 * others of its batch are still ended, and the error says how many.
 */
const revokeWith =
  (ctx: WriteContext, steps: { apart: boolean }): Sink =>
  async (targets) => {
    const revoked = new Set<Target>();
    for (let from = 0; from < targets.length; from += BATCH_SIZE) {
      const batch = targets.slice(from, from + BATCH_SIZE);
      steps.apart ||= batch.some((target) => isApart(ctx, target));
      const replies = await Promise.allSettled(batch.map((target) => revokeOne(ctx, target)));
      replies.forEach((reply, i) => {
        if (reply.status === 'fulfilled' && reply.value > 0) revoked.add(batch[i]!);
      });
      const failed = replies.filter((reply) => reply.status === 'rejected');
      const [first] = failed;
      if (!first) continue;
      const left = targets.length - from - batch.length;
      const others = `Of ${targets.length} sessions in progress ${revoked.size} were ended, ${failed.length} failed and ${left} were not tried.`;
      throw targets.length > 1 ? withDetail(first.reason, others) : first.reason;
    }
    return revoked;
  };

/** The users that were found or requested. */
const usersNamed = ({ handles, userId }: Revoked, { users }: RevocationSummary): Set<string> =>
  userId === undefined ? new Set([...users, ...usersOf(handles ?? [])]) : new Set([userId]);

type Rest = Pick<
  Revocation,
  'remaining' | 'unverified' | 'unread' | 'alsoRevoked' | 'stillValidComplete' | 'exact' | 'dryRun'
>;

const toRevocation = (
  { named }: Scope,
  summary: RevocationSummary,
  meant: ReadonlySet<string>,
  rest: Rest,
): Revocation => {
  const matched = named ?? summary.matched;
  return {
    matched,
    revoked: summary.revoked,
    // Sessions that could not be ended still exist.
    alreadyGone: Math.max(0, matched - (rest.dryRun ? summary.matched : summary.revoked + rest.remaining)),
    users: summary.users.size,
    stillValid: summary.lines.all(),
    stillValidCut: meant.size > MAX_USERS,
    ...rest,
  };
};

/** Ends other tokens of the found or requested users, on request. */
const revokeAlso = async (
  ctx: WriteContext,
  { also, userId }: Revoked,
  summary: RevocationSummary,
  users: ReadonlySet<string>,
): Promise<Revocation['alsoRevoked']> => {
  const revoked = { oauth: 0, verification: 0 };
  if (also?.includes('oauth'))
    revoked.oauth = await unlinkKeys(ctx, (await readOauthKeysOf(ctx, users, true)).keys);
  if (!also?.includes('verification')) return revoked;
  const keys = [...summary.verifications.values()];
  // For a single user the scope's scan has already found them.
  if (userId === undefined && users.size > 0)
    for await (const { verifications } of walkWithRestart(ctx.connection, () => scanUsers(ctx, users)))
      keys.push(...verifications);
  revoked.verification = await unlinkKeys(ctx, keys);
  return revoked;
};

/** What still exists of the scope, and what was unreadable. */
class Verification {
  readonly remaining = new Set<string>();
  readonly unverified = new Set<string>();
  readonly verifications = new Map<string, VerificationKey>();
  unread = 0;

  async look(ctx: ReadContext, targets: readonly Target[]): Promise<void> {
    const { alive, unknown } = await readExistingTargets(ctx, targets);
    for (const { key } of alive) this.remaining.add(keyId(key));
    for (const { key } of unknown) this.unverified.add(keyId(key));
  }
}

/** Reads the revoked sessions again, and repeats the search. */
const searchAgain = async (
  ctx: ReadContext,
  scope: Scope,
  summary: RevocationSummary,
): Promise<Verification> => {
  const verification = new Verification();
  await verification.look(ctx, summary.kept);
  if (scope.named !== null) return verification;
  for await (const part of scope.parts()) {
    await verification.look(ctx, part.targets);
    verification.unread += part.unread ?? 0;
    for (const token of part.verifications) verification.verifications.set(keyId(token.key), token);
  }
  return verification;
};

/** If verification fails the sessions stay revoked, and are reported as unverified. */
const verify = async (ctx: ReadContext, scope: Scope, summary: RevocationSummary): Promise<Verification> => {
  try {
    return await countWithRestart(ctx.connection, () => searchAgain(ctx, scope, summary));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const unknown = new Verification();
    for (const { key } of summary.kept) unknown.unverified.add(keyId(key));
    return unknown;
  }
};

/** The scope and its parts, if already known. */
interface Known {
  scope?: Scope;
  parts?: ScopePart[];
}

/** Revokes the scope and verifies it. Cannot be undone, because tokens are never stored. */
export const revoke = async (
  ctx: WriteContext,
  input: Revoked,
  { scope: resolved, parts, ...hooks }: RevocationHooks & Known = {},
) => {
  const scope = resolved ?? (await scopeOf(ctx, input));
  const steps = { apart: false };
  const { summary } = await walk(ctx, parts ?? scope.parts(hooks.signal), {
    ...hooks,
    sink: revokeWith(ctx, steps),
  });
  const meant = usersNamed(input, summary);
  const alsoRevoked = await revokeAlso(ctx, input, summary, meant).catch((error: unknown) => {
    throw withRevokedCount(error, summary);
  });
  const proof = await verify(ctx, scope, summary);
  const stillValidComplete = await readStillValid(ctx, summary.lines, {
    users: summary.usersListed(meant),
    ended: new Set(),
    unread: proof.unread,
    verifications: input.userId === undefined ? undefined : [...proof.verifications.values()],
  }).catch(fallbackFor((error) => error instanceof Problem, false));
  const rest = {
    remaining: proof.remaining.size,
    unverified: proof.unverified.size,
    alsoRevoked,
    unread: proof.unread,
    stillValidComplete,
    exact: proof.unread === 0,
    dryRun: false,
  };
  const result = toRevocation(scope, summary, meant, rest);
  const { stillValid: _, ...after } = result;
  const before: AuditJson = {
    sessions: result.matched,
    users: [...meant].slice(0, MAX_AUDITED),
    fingerprints: summary.fingerprints,
  };
  const audited: AuditJson = { ...after, alsoRevoked: { ...alsoRevoked } };
  return { result, before, after: steps.apart ? { ...audited, oneStep: false } : audited };
};

/** The counts without ending anything: `revoked` is 0 and `remaining` is what would be ended. */
export const previewRevocation = async (ctx: ReadContext, input: Revoked): Promise<Revocation> => {
  const scope = await scopeOf(ctx, input);
  const { summary, exact } = await countWithRestart(ctx.connection, () =>
    walk(ctx, scope.parts(), { sink: countOnly, timeoutMs: PREVIEW_TIMEOUT_MS, caller: ctx.signal }),
  );
  const meant = usersNamed(input, summary);
  const isComplete = await readStillValid(ctx, summary.lines, {
    users: summary.usersListed(meant),
    ended: summary.keyIds(),
    unread: summary.unread,
    verifications: input.userId === undefined ? undefined : [...summary.verifications.values()],
    without: input.also,
  });
  return toRevocation(scope, summary, meant, {
    remaining: summary.matched,
    unverified: 0,
    unread: summary.unread,
    alsoRevoked: { oauth: 0, verification: 0 },
    stillValidComplete: exact && isComplete,
    exact: exact && summary.unread === 0,
    dryRun: true,
  });
};
