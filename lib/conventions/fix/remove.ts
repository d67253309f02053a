import 'server-only';
import { deleteKeys, newCounts } from '@/lib/caches/deletion';
import type { Target } from '@/lib/caches/target';
import type { JobContext } from '@/lib/jobs/define';
import type { Key } from '@/lib/redis/commands';
import { walkWithRestart } from '@/lib/redis/server-process';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import type { FixCounts } from './fix-counts';
import type { Fault } from './fixing';
import { NO_COPY } from './trim';

interface Removal {
  label: string;
  dryRun: boolean;
  withoutUndo: boolean;
  counts: FixCounts;
}

/** A target without keys of its own: the caller selects them. */
const targetOf = (label: string): Target => {
  const search = { match: '*', accepts: () => false };
  const all = { id: 'all', title: label, keys: [], search, included: true, wider: false, known: true };
  return { kind: 'pattern', label, branches: [all], family: null };
};

const isTooLarge = ({ facts: { memoryBytes } }: Fault): boolean =>
  memoryBytes !== null && memoryBytes > MAX_SNAPSHOT_BYTES;

/** Removes abandoned keys by the engine of invalidations: each only as its stored copy has it. */
export const removeKeys = async (
  ctx: JobContext,
  { label, dryRun, withoutUndo, counts }: Removal,
  pages: () => AsyncGenerator<Fault[]>,
): Promise<void> => {
  const removed = newCounts();
  // Called again when the walk begins again.
  async function* removable(): AsyncGenerator<Key[]> {
    counts.restarted();
    for await (const faults of pages()) {
      const due = withoutUndo ? faults : faults.filter((fault) => !isTooLarge(fault));
      counts.skip(NO_COPY, faults.length - due.length);
      for (const { facts, detail } of due) counts.show(facts.key, detail);
      yield due.map(({ facts }) => facts.key);
    }
  }
  if (dryRun) {
    const restart = { signal: ctx.signal };
    for await (const keys of walkWithRestart(ctx.connection, removable, restart)) counts.fixed += keys.length;
    return;
  }
  const plan = { target: targetOf(label), withoutUndo, total: 0, selected: removable };
  try {
    counts.undoUntil = await deleteKeys(ctx, plan, removed);
  } finally {
    counts.fixed = removed.deleted;
    counts.vanished += removed.vanished;
    counts.conflicts += removed.changed;
  }
};
