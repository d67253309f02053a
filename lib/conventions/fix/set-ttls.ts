import 'server-only';
import { formerExpiries, type ShortenedTtl, shortenTtls } from '@/lib/caches/shorten-ttl';
import { SECOND } from '@/lib/time';
import { readFacts } from './facts';
import type { Fault, FixBatch, Fixing } from './fixing';
import { TOO_SHORT, ttlOf } from './ttl-of';

interface Planned extends Fault {
  ms: number;
  /** Its expiry, epoch ms; -1 for none. */
  expires: number;
}

const plan = ({ basis, counts }: Fixing, faults: readonly Fault[]): Planned[] =>
  faults.flatMap((fault) => {
    const ttl = ttlOf(basis.rule, fault.facts, basis.policy);
    if ('ms' in ttl) return [{ ...fault, ms: ttl.ms, expires: -1 }];
    counts.skip(ttl.skip);
    return [];
  });

const wantedOf = (planned: readonly Planned[]) =>
  planned.map(({ facts: { key }, ms }) => ({ key, ttlMs: ms }));

/** Decides again by the expiry that the server reports in one step with its clock. */
const stillDue = ({ basis, counts }: Fixing, planned: readonly Planned[], seen: readonly ShortenedTtl[]) =>
  planned.flatMap((one, i): Planned[] => {
    const { state, before, wanted } = seen[i]!;
    const ttlMs = before < 0 ? -1 : before - (wanted - one.ms);
    if (state === 'vanished') counts.vanished += 1;
    else if (basis.faultOf({ ...one.facts, ttlMs }) === null) counts.conflicts += 1;
    else if (state === 'shorter') counts.skip(TOO_SHORT);
    else return [{ ...one, expires: before }];
    return [];
  });

/** Reads the keys again: only what no longer violates the rule is fixed. */
const countFixed = async ({ ctx, basis, counts }: Fixing, changed: readonly Planned[]): Promise<void> => {
  const facts = await readFacts(
    ctx,
    basis.rule,
    changed.map(({ facts: { key } }) => key),
  );
  counts.vanished += changed.length - facts.length;
  for (const each of facts) {
    const isFixed = basis.rule === 'ttl-jitter' ? each.ttlMs > 0 : basis.faultOf(each) === null;
    if (isFixed) counts.fixed += 1;
    else counts.conflicts += 1;
  }
};

const detailOf = ({ detail, ms }: Planned): string => `${detail} → TTL ${Math.round(ms / SECOND)} s`;

/** Adds or shortens TTLs into the band, with jitter. */
export const setTtls: FixBatch = async (fixing, faults) => {
  const { ctx, dryRun, counts, undo, throttled } = fixing;
  const planned = plan(fixing, faults);
  if (planned.length === 0) return;
  const seen = await throttled(() => shortenTtls(ctx, wantedOf(planned), true), planned.length);
  const due = stillDue(fixing, planned, seen);
  for (const one of due) counts.show(one.facts.key, detailOf(one));
  if (dryRun) counts.fixed += due.length;
  if (dryRun || due.length === 0) return;
  const wanted = due.map(({ facts: { key }, ms, expires }) => ({ key, ttlMs: ms, expires }));
  const done = await throttled(() => shortenTtls(ctx, wanted, false), wanted.length);
  const changed = due.filter((_, i) => done[i]!.state === 'added' || done[i]!.state === 'shortened');
  const vanished = done.filter(({ state }) => state === 'vanished').length;
  counts.vanished += vanished;
  counts.conflicts += due.length - changed.length - vanished;
  // Both are attempted: what was changed can be undone and is counted, even if one of them fails.
  const ends = await Promise.allSettled([undo?.add(formerExpiries(done)), countFixed(fixing, changed)]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};
