import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { scanUsers } from './find';
import { fingerprintOf, indexKeyOf } from './keys';
import { addJwts, MOST_USERS, readStillValid, StillValidLines } from './proof';
import type { Revocation } from './schema';
import { type Scope, scopeOf, usersOf } from './scope';
import { type Revoked, readAliveTargets, type Target } from './targets';
import { oauthKeysOf, type VerificationKey } from './tokens/keys';
import { unlink } from './tokens/revoke';

/** Script calls on their way at once. */
const AT_ONCE = 100;
const MOST_AUDITED = 50;
/** Ended sessions that are read again one by one; beyond, the search itself is what is done again. */
const MOST_KEPT = 20_000;

export interface Hooks {
  signal?: AbortSignal;
  /** Told before each part is ended; what it throws stops the work there. */
  before?(revoked: number, next: number): Promise<void>;
}

/** Ends each session in one atomic step. True where anything of it was still there. */
const end = async (ctx: WriteContext, targets: readonly Target[]): Promise<boolean[]> => {
  const ended: boolean[] = [];
  for (let from = 0; from < targets.length; from += AT_ONCE) {
    const replies = await Promise.all(
      targets.slice(from, from + AT_ONCE).map(({ userId, token, key, legacy }) =>
        // Who is of no index has none to be taken from: the key stands for it, and is gone by then.
        ctx.writer.run(
          'revoke-session',
          [key, userId === null ? key : indexKeyOf(ctx, userId), ...legacy],
          [token],
        ),
      ),
    );
    for (const [hash, , legacy] of replies) ended.push(Number(hash) + Number(legacy) > 0);
  }
  return ended;
};

/** What was reached so far. A session counts once, however often it comes. */
class Tally {
  matched = 0;
  revoked = 0;
  readonly users = new Set<string>();
  readonly told = new Set<string>();
  readonly kept: Target[] = [];
  readonly fingerprints: string[] = [];
  readonly lines = new StillValidLines();
  readonly verifications: VerificationKey[] = [];
  private readonly seen = new Set<string>();
  private readonly tokens = new Set<string>();

  /** True the first time a session comes. A digest each: the keys of all would be too much to keep. */
  isNew({ key }: Target): boolean {
    const size = this.seen.size;
    return this.seen.add(digest('cursor', key, 12)).size > size;
  }

  /** What was ended, or would be. */
  note(targets: readonly Target[]): void {
    for (const target of targets) {
      if (target.userId !== null) this.users.add(target.userId);
      if (target.userId !== null && this.told.size < MOST_USERS) this.told.add(target.userId);
      if (this.kept.length < MOST_KEPT) this.kept.push(target);
      if (this.fingerprints.length < MOST_AUDITED) this.fingerprints.push(fingerprintOf(target.key));
    }
  }

  /** Tokens that were met, their sessions gone before or not: a signature holds either way. Each once. */
  noteTokens(targets: readonly Target[], now: number): void {
    const told = targets.filter(({ userId, key }) => {
      if (userId === null || !(this.told.has(userId) || this.told.size < MOST_USERS)) return false;
      this.told.add(userId);
      const size = this.tokens.size;
      return this.tokens.add(digest('cursor', key, 12)).size > size;
    });
    addJwts(this.lines, told, now);
  }

  /** Keys that would end, those of a session that comes again with its legacy key too. */
  endedIds(more: readonly Target[]): Set<string> {
    return new Set([...this.kept, ...more].flatMap(({ key, legacy }) => [key, ...legacy].map(keyId)));
  }
}

const keysOf = (targets: readonly Target[]): Set<string> => new Set(targets.map(({ key }) => keyId(key)));

/** Everybody reached or named. */
const usersMeant = ({ handles, userId }: Revoked, tally: Tally): Set<string> =>
  userId === undefined ? new Set([...tally.users, ...usersOf(handles ?? [])]) : new Set([userId]);

/** Users whose other tokens are told of: those that were reached, then those that were named. */
const usersTold = ({ told }: Tally, meant: ReadonlySet<string>): Set<string> =>
  new Set([...told, ...meant].slice(0, MOST_USERS));

/** Other tokens of everybody reached or named, where asked for. */
const endAlso = async (
  ctx: WriteContext,
  { also, userId }: Revoked,
  tally: Tally,
  users: ReadonlySet<string>,
) => {
  const done = { oauth: 0, verification: 0 };
  if (also?.includes('oauth'))
    for (const user of users)
      done.oauth += await unlink(
        ctx,
        oauthKeysOf(ctx, user).map(({ key }) => key),
      );
  if (!also?.includes('verification')) return done;
  const keys: Key[] = tally.verifications.map(({ key }) => key);
  // Of one user the scope's own scan has found them.
  if (userId === undefined && users.size > 0)
    for await (const { verifications } of scanUsers(ctx, users))
      for (const { key } of verifications) keys.push(key);
  done.verification = await unlink(ctx, keys);
  return done;
};

/** The proof: what was ended is read again, and the search itself is made again. */
const lookAgain = async (ctx: ReadContext, scope: Scope, tally: Tally) => {
  const remaining = keysOf([...(await readAliveTargets(ctx, tally.kept))]);
  const verifications = new Map<string, VerificationKey>();
  if (scope.named === null) {
    for await (const part of scope.parts()) {
      for (const id of keysOf([...(await readAliveTargets(ctx, part.targets))])) remaining.add(id);
      for (const one of part.verifications) verifications.set(keyId(one.key), one);
    }
  }
  return { remaining: remaining.size, verifications: [...verifications.values()] };
};

const countsOf = (scope: Scope, tally: Tally) => {
  const matched = scope.named ?? tally.matched;
  return { matched, revoked: tally.revoked, alreadyGone: matched - tally.revoked };
};

/** Ends what is named, and proves it. Nothing of it can be taken back: a token is never kept. */
export const revoke = async (ctx: WriteContext, input: Revoked, hooks: Hooks = {}) => {
  const scope = await scopeOf(ctx, input);
  const tally = new Tally();
  for await (const { targets, verifications } of scope.parts(hooks.signal)) {
    tally.verifications.push(...verifications);
    if (targets.length === 0) continue;
    await hooks.before?.(tally.revoked, targets.length);
    const existing = await readAliveTargets(ctx, targets);
    const replies = await end(ctx, targets);
    const ended = targets.filter((_, i) => replies[i]);
    const counted = targets.filter(
      (target, i) => (replies[i] || existing.has(target)) && tally.isNew(target),
    );
    tally.matched += counted.length;
    tally.revoked += ended.filter((target) => counted.includes(target)).length;
    tally.note(ended);
    tally.noteTokens(targets, ctx.now());
  }
  const meant = usersMeant(input, tally);
  const alsoRevoked = await endAlso(ctx, input, tally, meant);
  const again = await lookAgain(ctx, scope, tally);
  const verifications = input.userId === undefined ? undefined : again.verifications;
  const asked = { users: usersTold(tally, meant), ended: new Set<string>(), verifications };
  const stillValidComplete = await readStillValid(ctx, tally.lines, asked);
  const result: Revocation = {
    ...countsOf(scope, tally),
    remaining: again.remaining,
    users: tally.users.size,
    alsoRevoked,
    stillValid: tally.lines.all(),
    stillValidCut: meant.size > MOST_USERS,
    stillValidComplete,
    exact: true,
    dryRun: false,
  };
  const { stillValid: _, ...after } = result;
  const before: AuditJson = {
    sessions: result.matched,
    users: [...meant].slice(0, MOST_AUDITED),
    fingerprints: tally.fingerprints,
  };
  return { result, before, after: { ...after, alsoRevoked: { ...alsoRevoked } } satisfies AuditJson };
};

/** A dry run that searches a large keyspace ends after this long, ms, with what it found. */
const PREVIEW_MS = 20_000;

/** The same counts, with nothing ended: `revoked` is 0 and `remaining` what would be ended. */
export const preview = async (ctx: ReadContext, input: Revoked): Promise<Revocation> => {
  const scope = await scopeOf(ctx, input);
  const tally = new Tally();
  const until = performance.now() + PREVIEW_MS;
  const again: Target[] = [];
  let exact = true;
  for await (const { targets, verifications } of scope.parts()) {
    tally.verifications.push(...verifications);
    const existing = await readAliveTargets(ctx, targets);
    const counted = targets.filter((target) => existing.has(target) && tally.isNew(target));
    tally.matched += counted.length;
    tally.note(counted);
    const fresh = new Set(counted);
    again.push(...targets.filter((target) => existing.has(target) && !fresh.has(target)));
    tally.noteTokens(targets, ctx.now());
    if (performance.now() > until) {
      exact = false;
      break;
    }
  }
  const meant = usersMeant(input, tally);
  const stillValidComplete = await readStillValid(ctx, tally.lines, {
    users: usersTold(tally, meant),
    ended: tally.endedIds(again),
    verifications: input.userId === undefined ? undefined : tally.verifications,
    without: input.also,
  });
  const matched = scope.named ?? tally.matched;
  return {
    matched,
    revoked: 0,
    alreadyGone: matched - tally.matched,
    remaining: tally.matched,
    users: tally.users.size,
    alsoRevoked: { oauth: 0, verification: 0 },
    stillValid: tally.lines.all(),
    stillValidCut: meant.size > MOST_USERS,
    stillValidComplete: exact && stillValidComplete,
    exact,
    dryRun: true,
  };
};
