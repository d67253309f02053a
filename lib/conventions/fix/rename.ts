import 'server-only';
import { renamedEntry } from '@/lib/caches/rename-back';
import { displayKey, displayUnclassified } from '@/lib/catalog/display';
import { isOwn } from '@/lib/catalog/guarded';
import { Problem } from '@/lib/errors';
import { contentArg, DONE, type Look, look, NOTHING_ELSE, runOn } from '@/lib/keys/commands/look';
import { callArgs } from '@/lib/keys/commands/stored-call';
import type { Key } from '@/lib/redis/commands';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';
import type { Fault, FixBatch, Fixing } from './fixing';
import { proposedName } from './proposed-name';

export const OF_A_FAMILY = 'Its application would not find it under another name';
export const NO_NAME = 'No name by the convention can be derived from it';
export const INTO_A_FAMILY = 'The new name belongs to a known family';
export const TOO_LARGE = 'It is too large to verify a copy';
export const OTHER_SLOT = 'The new name is in another slot of the cluster';

interface Renaming extends Fault {
  to: Key;
}

/** A key beside its verified copy. */
interface Copied extends Renaming {
  before: Look;
  after: Look;
}

const plan = ({ ctx, basis, counts }: Fixing, faults: readonly Fault[]): Renaming[] =>
  faults.flatMap((fault) => {
    const to = proposedName(fault.facts.key);
    const why = refusalOf();
    if (why === null) return [{ ...fault, to: to! }];
    counts.skip(why);
    return [];

    function refusalOf(): string | null {
      if (fault.facts.found.family) return OF_A_FAMILY;
      if (!to) return NO_NAME;
      const { family, malformedOf } = ctx.catalog.locate(to);
      if (family || isOwn(ctx.catalog, to)) return INTO_A_FAMILY;
      const found = { ...fault.facts.found, family, malformedOf };
      return basis.faultOf({ ...fault.facts, key: to, found }) === null ? null : NO_NAME;
    }
  });

const lookAt = async ({ ctx }: Fixing, key: Key): Promise<Look | null> =>
  look(ctx, key, NOTHING_ELSE).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  });

/** PTTL before Redis 7 is read a moment after the clock. */
const NEAR_MS = 50;

const isSame = (one: Look, other: Look): boolean =>
  one.state.type === other.state.type &&
  contentArg(one.state) === contentArg(other.state) &&
  Math.abs(one.expires - other.expires) <= NEAR_MS;

const removeUnchanged = async ({ ctx }: Fixing, key: Key, { state }: Look): Promise<boolean> => {
  const call = { edit: 'delete', type: state.type, content: contentArg(state), expires: -1, args: [] };
  return (await runOn(ctx, 'key-edit', [key], callArgs(call))).state === DONE;
};

const isOtherSlot = ({ ctx }: Fixing, error: unknown): boolean =>
  ctx.connection.topology.kind === 'cluster' && error instanceof Problem && error.code === 'moved';

/** Copies a key that still is what was read; null where that failed, which is counted. */
const copy = async (fixing: Fixing, one: Renaming): Promise<Copied | null> => {
  const { ctx, counts, throttled } = fixing;
  const { key } = one.facts;
  const before = await throttled(() => lookAt(fixing, key));
  if (!before) {
    counts.vanished += 1;
    return null;
  }
  if (before.state.digest === '') {
    counts.skip(TOO_LARGE);
    return null;
  }
  const args = ['copy', before.state.type, contentArg(before.state)];
  const { state } = await throttled(() => runOn(ctx, 'key-move', [key, one.to], args));
  if (state !== DONE) {
    counts.conflicts += 1;
    return null;
  }
  const after = await lookAt(fixing, one.to);
  if (after && isSame(before, after)) return { ...one, before, after };
  if (after) await removeUnchanged(fixing, one.to, after);
  counts.conflicts += 1;
  return null;
};

const copyInSlot = (fixing: Fixing, one: Renaming): Promise<Copied | null> =>
  copy(fixing, one).catch((error: unknown) => {
    if (!isOtherSlot(fixing, error)) throw error;
    fixing.counts.skip(OTHER_SLOT);
    return null;
  });

const undoEntry = ({ facts: { key }, to, after }: Copied): SnapshotEntry =>
  renamedEntry({ from: key, to, type: after.state.type, content: contentArg(after.state) });

/** Removes the key under its old name, or the copy where the key changed meanwhile. */
const settle = async (fixing: Fixing, copied: Copied): Promise<void> => {
  const { counts, throttled } = fixing;
  const { facts, to, before, after } = copied;
  const isRemoved = await throttled(() => removeUnchanged(fixing, facts.key, before));
  if (!isRemoved) {
    // A copy of an older value must not stay; one that an application changed is its own.
    await removeUnchanged(fixing, to, after);
    counts.conflicts += 1;
    return;
  }
  const now = await lookAt(fixing, to);
  if (now && isSame(now, after)) counts.fixed += 1;
  else if (now) counts.conflicts += 1;
  else counts.vanished += 1;
};

const preview = async ({ ctx, counts }: Fixing, renamings: readonly Renaming[]): Promise<void> => {
  const replies = await ctx.connection.background.readMany(
    renamings.map(({ to }) => ['EXISTS', to] as const),
  );
  for (const reply of replies)
    if (reply === 0) counts.fixed += 1;
    else counts.conflicts += 1;
};

/** Renames by copy, verification and removal of what is unchanged, so that no moment lacks the value. */
export const renameKeys: FixBatch = async (fixing, faults) => {
  const { ctx, counts, dryRun, undo } = fixing;
  const renamings = plan(fixing, faults);
  for (const { facts, to } of renamings) {
    const display = facts.found.isSettled ? displayUnclassified : displayKey;
    counts.show(facts.key, `→ ${display(to, ctx.catalog)}`);
  }
  if (dryRun) return preview(fixing, renamings);
  const copied: Copied[] = [];
  for (const one of renamings) {
    const done = await copyInSlot(fixing, one);
    if (done) copied.push(done);
  }
  await undo?.add(copied.map(undoEntry));
  for (const one of copied) await settle(fixing, one);
};
