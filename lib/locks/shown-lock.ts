import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { etagOf } from '@/lib/key-values/etag';
import { maxTtlOf } from '@/lib/keyspace/family';
import type { Arg, Key } from '@/lib/redis/commands';
import type { Judged } from '@/lib/role-keys/role-list';
import { SECOND } from '@/lib/time';
import { type Held, heldSince, NEAR_MS } from './age';
import { ownerDigest, shownOwner } from './owner';
import { problemsOf } from './problems';
import type { Lock, LockProblem } from './schema';
import type { HeldLock } from './shared-locks';
import type { StoredLock } from './stored-lock';

type Context = Pick<ReadContext, 'connection' | 'catalog'>;

/**
 * The etag of a lock: type and content. Without an owner in the value the next one writes the same value, so the etag
 * also contains the expiry as text, prefixed with `~` if by our clock. Null where the content was not read completely.
 */
export const lockEtag = (ctx: Context, key: Key, { state, expiry, expiresAt }: StoredLock): string | null => {
  if (state === null) return null;
  const etag = etagOf(ctx, key, state);
  if (expiry === null) return etag;
  return `${etag}.${expiry === 'ours' ? `~${expiresAt ?? -1}` : expiry}`;
};

const WITH_EXPIRY = /^([^.]+)\.(~?)(-1|\d{1,19})$/;

/** Whether the lock still has the content of an etag. The release itself compares expiries. */
export const hasContentOf = (ctx: Context, key: Key, { state, expiry }: StoredLock, etag: string): boolean =>
  state !== null && (expiry === null ? etag : WITH_EXPIRY.exec(etag)?.[1]) === etagOf(ctx, key, state);

/** How to compare an etag's expiry at `now`, epoch ms: a command, its reply and a tolerance, ms. */
export const comparisonOf = (etag: string, now: number): [command: string, reply: Arg, nearMs: number] => {
  const [, , isOurs, at] = WITH_EXPIRY.exec(etag) ?? [];
  if (at === undefined) return ['', '', 0];
  if (!isOurs) return ['PEXPIRETIME', at, 0];
  return ['PTTL', at === '-1' ? at : Math.max(0, Number(at) - now), NEAR_MS];
};

export interface JudgedLock extends Judged<HeldLock, LockProblem> {
  held: Held | null;
}

/** Judges a lock at `now`, epoch ms; null for one that has expired since it was read. */
export const judge = (lock: HeldLock, now: number): JudgedLock | null => {
  const { stored, family, seenAt, notBefore } = lock;
  const { expiresAt } = stored;
  if (expiresAt !== null && expiresAt <= now) return null;
  const problems = problemsOf(stored, family.ttl, now);
  const held = heldSince({ ttl: family.ttl, expiresAt, seenAt, notBefore, now });
  return { row: lock, kinds: problems, isWrong: problems.length > 0, since: held?.since ?? null, held };
};

const agoSeconds = (since: number, now: number): number => Math.max(0, Math.round((now - since) / SECOND));

export const showLock = (ctx: Context, { row, kinds, held }: JudgedLock, now: number): Lock => {
  const { key, keyId, family, stored, shown } = row;
  const { type, expiresAt } = stored;
  return {
    keyId,
    ...shown,
    owner: shownOwner(stored),
    ownerDigest: ownerDigest(ctx, stored),
    type,
    ttlSeconds: expiresAt === null ? null : Math.ceil((expiresAt - now) / SECOND),
    maxTtlSeconds: maxTtlOf(family.ttl),
    ageSeconds: held && agoSeconds(held.since, now),
    ageIsAtLeast: held?.isAtLeast ?? false,
    problems: [...kinds],
    etag: lockEtag(ctx, key, stored),
    family: family.id,
    app: family.app,
  };
};
