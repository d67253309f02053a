import 'server-only';
import { trimmedEntry } from '@/lib/caches/trimmed-entry';
import { snapshot } from '@/lib/snapshots/snapshot-keys';
import type { KeyDump } from '@/lib/snapshots/snapshots';
import { mayBeOnlyCopy } from '../use';
import { readFacts } from './facts';
import type { Fault, FixBatch, Fixing } from './fixing';

export const NO_ORDER = 'Which elements to remove is for its application to decide';
export const ONLY_COPY = 'Its elements may be the only copy of what they hold';
export const NO_COPY = 'It is too large to store for undo';

const TRIMMED = new Set(['list', 'zset']);
const CHECK_BYTES = 8;
const STATES = ['changed', 'done', 'vanished', 'changed'] as const;

const runTrim = async ({ ctx, basis, throttled }: Fixing, what: 'look' | 'trim', copy: KeyDump) => {
  const args = [what, basis.policy.maxElements, copy.value.subarray(-CHECK_BYTES)];
  const [state, digest] = await throttled(() => ctx.writer.run('trim-key', [copy.key], args));
  return { state: STATES[state as number]!, digest: String(digest) };
};

const countAgain = async ({ ctx, basis, counts }: Fixing, { facts: { key } }: Fault): Promise<void> => {
  const [now] = await readFacts(ctx, basis.rule, [key]);
  if (!now) counts.vanished += 1;
  else if (basis.faultOf(now) === null) counts.fixed += 1;
  else counts.conflicts += 1;
};

const trimOne = async (fixing: Fixing, fault: Fault): Promise<void> => {
  const { ctx, basis, counts, undo, throttled } = fixing;
  const { key, type } = fault.facts;
  const shot = await throttled(() => snapshot(ctx.writer, [key]));
  if (shot.gone.length > 0) counts.vanished += 1;
  if (shot.tooLarge.length > 0) counts.skip(NO_COPY);
  const [copy] = shot.there;
  if (!copy) return;
  const { state: seen, digest } = await runTrim(fixing, 'look', copy);
  const count = (state: 'changed' | 'vanished') => {
    if (state === 'vanished') counts.vanished += 1;
    else counts.conflicts += 1;
  };
  if (seen !== 'done') return count(seen);
  await undo?.add([trimmedEntry(copy, { type, elements: basis.policy.maxElements, digest })]);
  const { state } = await runTrim(fixing, 'trim', copy);
  if (state !== 'done') return count(state);
  await countAgain(fixing, fault);
};

/** Trims lists to their newest elements, which LPUSH puts first, and sorted sets to the highest scores. */
export const trimKeys: FixBatch = async (fixing, faults) => {
  const { counts, dryRun } = fixing;
  const ordered = faults.filter(({ facts }) => TRIMMED.has(facts.type));
  counts.skip(NO_ORDER, faults.length - ordered.length);
  const due = ordered.filter(({ facts }) => !mayBeOnlyCopy(facts));
  counts.skip(ONLY_COPY, ordered.length - due.length);
  for (const { facts, detail } of due) counts.show(facts.key, detail);
  if (dryRun) counts.fixed += due.length;
  else for (const fault of due) await trimOne(fixing, fault);
};
