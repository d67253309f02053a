import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { withDetail } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { keyId } from '@/lib/keyspace/display';
import type { VerificationKey } from '@/lib/tokens/keys';
import { fingerprintOf } from '../keys';
import { addJwts, MAX_USERS, StillValidLines } from './still-valid';
import { readExistingTargets, type ScopePart, type Target } from './targets';

export const MAX_AUDITED = 50;
/** The maximum number of sessions read again one by one; beyond it, only the search is repeated. */
const MAX_KEPT = 20_000;

export interface RevocationHooks {
  signal?: AbortSignal;
  /** Called before each part is revoked; an exception stops the work there. */
  before?(revoked: number, next: number): Promise<void>;
}

/** Processes targets. Returns those where it revoked anything: none in a preview. */
export type Sink = (targets: readonly Target[]) => Promise<ReadonlySet<Target>>;

/** The summary of a walk. A session counts once, however often it occurs. */
export class RevocationSummary {
  matched = 0;
  revoked = 0;
  readonly users = new Set<string>();
  readonly kept: Target[] = [];
  readonly fingerprints: string[] = [];
  readonly lines = new StillValidLines();
  /** Unreadable sessions that may belong to the scope. */
  unread = 0;
  /** By key id: a scan may return one twice. */
  readonly verifications = new Map<string, VerificationKey>();
  /** Users whose other tokens are listed. */
  private readonly listed = new Set<string>();
  private readonly seen = new Set<string>();
  private readonly tokens = new Set<string>();

  /** `met`: the targets with a key that exists or existed. */
  add(targets: readonly Target[], met: ReadonlySet<Target>, revoked: ReadonlySet<Target>, now: number): void {
    for (const target of targets) {
      if (!met.has(target)) continue;
      if (this.kept.length < MAX_KEPT) this.kept.push(target);
      if (this.isNew(target)) this.count(target, revoked.has(target));
    }
    this.addTokens(targets, now);
  }

  /** Stores digests, because all keys would take too much memory. */
  private isNew({ key }: Target): boolean {
    const { size } = this.seen;
    return this.seen.add(digest('cursor', key, 12)).size > size;
  }

  private count({ userId, key }: Target, isRevoked: boolean): void {
    this.matched += 1;
    if (isRevoked) this.revoked += 1;
    if (userId !== null) this.users.add(userId);
    if (userId !== null && this.listed.size < MAX_USERS) this.listed.add(userId);
    if (this.fingerprints.length < MAX_AUDITED) this.fingerprints.push(fingerprintOf(key));
  }

  /** Adds the JWTs of all targets, each once, even if their session no longer existed: the signature stays valid. */
  private addTokens(targets: readonly Target[], now: number): void {
    const fresh = targets.filter(({ userId, key }) => {
      if (userId === null || !(this.listed.has(userId) || this.listed.size < MAX_USERS)) return false;
      this.listed.add(userId);
      const { size } = this.tokens;
      return this.tokens.add(digest('cursor', key, 12)).size > size;
    });
    addJwts(this.lines, fresh, now);
  }

  /** Users whose other tokens are listed: those found, then those requested. */
  usersListed(meant: ReadonlySet<string>): Set<string> {
    return new Set([...this.listed, ...meant].slice(0, MAX_USERS));
  }

  keyIds(): Set<string> {
    return new Set(this.kept.flatMap(({ key, legacy }) => [key, ...legacy].map(keyId)));
  }
}

/** Adds the number of sessions already revoked to an error. */
export const withRevokedCount = (error: unknown, { revoked }: RevocationSummary): unknown =>
  revoked > 0 ? withDetail(error, `Sessions revoked before the failure: ${revoked}.`) : error;

interface Walk extends RevocationHooks {
  sink: Sink;
  timeoutMs?: number;
  /** For a preview: aborts when the caller disconnects. */
  caller?: AbortSignal;
}

/** The only loop for preview and run: counts each part and passes it to the sink. `exact`: whether it reached the end. */
export const walk = async (
  ctx: ReadContext,
  parts: AsyncIterable<ScopePart> | Iterable<ScopePart>,
  { sink, before, timeoutMs = Infinity, caller }: Walk,
): Promise<{ summary: RevocationSummary; exact: boolean }> => {
  const summary = new RevocationSummary();
  const until = performance.now() + timeoutMs;
  for await (const { targets, verifications, unread = 0 } of parts) {
    summary.unread += unread;
    for (const token of verifications) summary.verifications.set(keyId(token.key), token);
    if (targets.length > 0) {
      await before?.(summary.revoked, targets.length);
      const { alive } = await readExistingTargets(ctx, targets);
      const revoked = await sink(targets).catch((error: unknown) => {
        throw withRevokedCount(error, summary);
      });
      summary.add(targets, new Set([...alive, ...revoked]), revoked, ctx.now());
    }
    caller?.throwIfAborted();
    if (performance.now() > until) return { summary, exact: false };
  }
  return { summary, exact: true };
};
