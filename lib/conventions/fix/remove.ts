import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import type { KeyDump } from '@/lib/snapshots/snapshots';
import { countTooLarge, readFacts } from './facts';
import type { FixBatch, Fixing } from './fixing';
import { TOO_LARGE } from './rename';

/** Checks copied keys once more: a key that came into use meanwhile stays. */
const stillAbandoned = async ({ ctx, basis, counts }: Fixing, copies: readonly KeyDump[]) => {
  const facts = await readFacts(
    ctx,
    basis.rule,
    copies.map(({ key }) => key),
  );
  const left = new Set(facts.filter((keyFacts) => basis.faultOf(keyFacts) !== null).map(({ key }) => key));
  counts.vanished += copies.length - facts.length;
  counts.conflicts += facts.length - left.size;
  return copies.filter(({ key }) => left.has(key));
};

/** Removes keys whose copies fit into one reply. Returns the others. */
const removeSome = async (fixing: Fixing, keys: readonly Key[]): Promise<Key[]> => {
  const { ctx, counts, undo, throttled } = fixing;
  const shot = await throttled(() => snapshot(ctx.writer, keys), keys.length);
  counts.vanished += shot.gone.length;
  counts.skip(TOO_LARGE, shot.tooLarge.length);
  const there = await stillAbandoned(fixing, shot.there);
  if (there.length === 0) return shot.left;
  await undo?.add(there.map((copy) => ({ ...copy, mark: 'plain' })));
  const unchanged = { there, tooLarge: [] };
  // A pending sign-in gets its TTL last, and a DUMP contains no TTL.
  const remove = () => unlinkUnchanged(ctx.writer, unchanged, { sameExpiry: true });
  const done = await throttled(remove, there.length);
  counts.fixed += done.deleted;
  counts.vanished += done.gone.length;
  counts.conflicts += done.changed.length;
  await undo?.void([...done.gone, ...done.changed]);
  return shot.left;
};

/** Removes abandoned keys that still equal their copies. A key that changes during the job is in use. */
export const removeKeys: FixBatch = async (fixing, faults) => {
  const { ctx, counts, dryRun } = fixing;
  const keys = faults.map(({ facts }) => facts.key);
  for (const { facts, detail } of faults) counts.show(facts.key, detail);
  if (dryRun) {
    const tooLarge = await countTooLarge(ctx, keys);
    counts.skip(TOO_LARGE, tooLarge);
    counts.fixed += keys.length - tooLarge;
    return;
  }
  for (let left = keys; left.length > 0; ) left = await removeSome(fixing, left);
};
