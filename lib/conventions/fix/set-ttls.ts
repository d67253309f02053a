import 'server-only';
import { formerExpiries, type ShortenedTtl, shortenTtls } from '@/lib/families/shorten-ttl';
import { SECOND } from '@/lib/time';
import { readFacts } from './facts';
import type { Fault, FixBatch, Fixing } from './fixing';
import { TOO_SHORT, ttlOf } from './ttl-of';

interface Planned extends Fault {
  ms: number;
}

/** A key due for another expiry, with both expiries as the server returned them. */
interface Due extends Planned {
  seen: ShortenedTtl;
}

const plan = ({ basis, counts }: Fixing, faults: readonly Fault[]): Planned[] =>
  faults.flatMap((fault) => {
    const ttl = ttlOf(basis.rule, fault.facts, basis.policy);
    if ('ms' in ttl) return [{ ...fault, ms: ttl.ms }];
    counts.skip(ttl.skip);
    return [];
  });

const wantedOf = (planned: readonly Planned[]) =>
  planned.map(({ facts: { key }, ms }) => ({ key, ttlMs: ms }));

/** Decides again by the expiry that the server reports together with its clock. */
const stillDue = ({ basis, counts }: Fixing, planned: readonly Planned[], seen: readonly ShortenedTtl[]) =>
  planned.flatMap((entry, i): Due[] => {
    const { state, before, wanted } = seen[i]!;
    const ttlMs = before < 0 ? -1 : before - (wanted - entry.ms);
    if (state === 'vanished') counts.vanished += 1;
    else if (basis.faultOf({ ...entry.facts, ttlMs }) === null) counts.conflicts += 1;
    else if (state === 'shorter') counts.skip(TOO_SHORT);
    else return [{ ...entry, seen: seen[i]! }];
    return [];
  });

/** Reads the keys again: only keys that no longer violate the rule count as fixed. */
const countFixed = async ({ ctx, basis, counts }: Fixing, changed: readonly Fault[]): Promise<void> => {
  const facts = await readFacts(
    ctx,
    basis.rule,
    changed.map(({ facts: { key } }) => key),
  );
  counts.vanished += changed.length - facts.length;
  for (const each of facts)
    if (basis.faultOf(each) === null) counts.fixed += 1;
    else counts.conflicts += 1;
};

/** Stores the data for undo. A key that has expired needs no undo. */
const storeUndo = async ({ undo }: Fixing, due: readonly Due[]): Promise<void> => {
  const seen = due.map((entry) => entry.seen);
  await undo?.add(formerExpiries(seen), Math.max(...seen.map(({ wanted }) => wanted)));
};

const detailOf = ({ detail, ms }: Planned): string => `${detail} → TTL ${Math.round(ms / SECOND)} s`;

/** Adds or shortens TTLs to the band, with jitter. */
export const setTtls: FixBatch = async (fixing, faults) => {
  const { ctx, dryRun, counts, throttled } = fixing;
  const planned = plan(fixing, faults);
  if (planned.length === 0) return;
  const seen = await throttled(() => shortenTtls(ctx, wantedOf(planned), true), planned.length);
  const due = stillDue(fixing, planned, seen);
  for (const planned of due) counts.show(planned.facts.key, detailOf(planned));
  if (dryRun) counts.fixed += due.length;
  if (dryRun || due.length === 0) return;
  await storeUndo(fixing, due);
  const wanted = due.map((entry) => ({
    key: entry.facts.key,
    at: entry.seen.wanted,
    expires: entry.seen.before,
  }));
  const done = await throttled(() => shortenTtls(ctx, wanted, false), wanted.length);
  const changed = due.filter((_, i) => done[i]!.state === 'added' || done[i]!.state === 'shortened');
  const vanished = done.filter(({ state }) => state === 'vanished').length;
  counts.vanished += vanished;
  counts.conflicts += due.length - changed.length - vanished;
  await countFixed(fixing, changed);
};
