import 'server-only';
import { trimmedEntry } from '@/lib/families/trimmed-entry';
import { snapshot } from '@/lib/snapshots/snapshot-keys';
import { mayBeTrimmed } from '../use';
import { countTooLarge, readFacts } from './facts';
import type { Fault, FixBatch, Fixing } from './fixing';

export const NO_ORDER = 'Which elements to remove is for its application to decide';
export const ONLY_COPY = 'Its elements may be the only copy of what they hold';
export const NO_COPY = 'It is too large to store for undo';

const TRIMMED = new Set(['list', 'zset']);
const CHECK_BYTES = 8;
/** Removing more elements in one call would block the server. */
const MAX_AT_ONCE = 10_000;
const STATES = ['changed', 'done', 'vanished', 'changed', 'more'] as const;

interface TrimCall {
  what: 'look' | 'trim';
  key: Buffer;
  /** The DUMP the key must equal; null for any. */
  copy: Buffer | null;
  atOnce: number;
}

const runTrim = async ({ ctx, basis, throttled }: Fixing, { what, key, copy, atOnce }: TrimCall) => {
  const args = [what, basis.policy.maxElements, copy?.subarray(-CHECK_BYTES) ?? '', atOnce];
  const [state, digest] = await throttled(() => ctx.writer.run('trim-key', [key], args));
  return { state: STATES[state as number]!, digest: String(digest) };
};

const countAgain = async ({ ctx, basis, counts }: Fixing, { facts: { key } }: Fault): Promise<void> => {
  const [now] = await readFacts(ctx, basis.rule, [key]);
  if (!now) counts.vanished += 1;
  else if (basis.faultOf(now) === null) counts.fixed += 1;
  else counts.conflicts += 1;
};

/** Trims only if the key equals its stored copy. */
const trimWithUndo = async (fixing: Fixing, fault: Fault): Promise<void> => {
  const { ctx, basis, counts, undo, throttled } = fixing;
  const { key, type } = fault.facts;
  const shot = await throttled(() => snapshot(ctx.writer, [key]));
  if (shot.gone.length > 0) counts.vanished += 1;
  if (shot.tooLarge.length > 0) counts.skip(NO_COPY);
  const [copy] = shot.there;
  if (!copy) return;
  const call = { key, copy: copy.value, atOnce: Number.MAX_SAFE_INTEGER };
  const { state: seen, digest } = await runTrim(fixing, { ...call, what: 'look' });
  const count = (state: typeof seen) => {
    if (state === 'vanished') counts.vanished += 1;
    else counts.conflicts += 1;
  };
  if (seen !== 'done') return count(seen);
  await undo?.add([trimmedEntry(copy, { type, elements: basis.policy.maxElements, digest })]);
  const { state } = await runTrim(fixing, { ...call, what: 'trim' });
  if (state !== 'done') return count(state);
  await countAgain(fixing, fault);
};

/** Trims in steps, including elements added meanwhile. */
const trimForGood = async (fixing: Fixing, fault: Fault): Promise<void> => {
  const call = { what: 'trim', key: fault.facts.key, copy: null, atOnce: MAX_AT_ONCE } as const;
  while ((await runTrim(fixing, call)).state === 'more' && !fixing.ctx.signal.aborted);
  await countAgain(fixing, fault);
};

/** Counts what the job would do: a collection too large to store stays, unless the user gives up undo. */
const preview = async ({ ctx, counts, withoutUndo }: Fixing, due: readonly Fault[]): Promise<void> => {
  const keys = withoutUndo ? [] : due.map(({ facts }) => facts.key);
  const tooLarge = await countTooLarge(ctx, keys);
  counts.skip(NO_COPY, tooLarge);
  counts.fixed += due.length - tooLarge;
};

/** Trims lists to their first elements (the newest after LPUSH), and sorted sets to the highest scores. */
export const trimKeys: FixBatch = async (fixing, faults) => {
  const { counts, dryRun, withoutUndo } = fixing;
  const ordered = faults.filter(({ facts }) => TRIMMED.has(facts.type));
  counts.skip(NO_ORDER, faults.length - ordered.length);
  const due = ordered.filter(({ facts }) => mayBeTrimmed(facts));
  counts.skip(ONLY_COPY, ordered.length - due.length);
  for (const { facts, detail } of due) counts.show(facts.key, detail);
  if (dryRun) return preview(fixing, due);
  for (const fault of due) await (withoutUndo ? trimForGood : trimWithUndo)(fixing, fault);
};
