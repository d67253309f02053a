import 'server-only';
import { Problem } from '@/lib/errors';
import { renamedEntry } from '@/lib/families/rename-back';
import { refuseExposure } from '@/lib/key-values/exposure';
import { identify } from '@/lib/key-values/identity';
import { contentArg, type Look, lookOrNull, NOTHING_ELSE, runOn } from '@/lib/key-values/look';
import { displayKey, displayUnclassified, isPartlyExamined, maskedName } from '@/lib/keyspace/display';
import { isOwn } from '@/lib/keyspace/guarded';
import { MASK } from '@/lib/keyspace/mask';
import type { Key } from '@/lib/redis/commands';
import { inOneSlot } from '@/lib/redis/one-slot';
import { type Moved, moveKey } from '@/lib/snapshots/move-key';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';
import type { Fault, FixBatch, Fixing } from './fixing';
import { proposedName } from './proposed-name';

export const OF_A_FAMILY = 'Its application would not find it under another name';
export const HOLDS_SECRET = 'Its name or value holds a secret, which another name might show';
export const NO_NAME = 'No name by the convention can be derived from it';
export const INTO_A_FAMILY = 'The new name belongs to a known family';
export const TOO_LARGE = 'It is too large to verify a copy';

interface Named extends Fault {
  to: Key;
}

/** A key as read, and its new name. */
interface Renaming extends Named {
  before: Look;
}

/** Separators within a secret would become colons, and its pieces would be too short to be masked. */
const mayHoldSecret = ({ ctx }: Fixing, { key, found }: Fault['facts']): boolean =>
  isPartlyExamined(key) || maskedName(key, ctx.catalog, found.isSettled).includes(MASK);

const plan = (fixing: Fixing, faults: readonly Fault[]): Named[] => {
  const { ctx, basis, counts } = fixing;
  return faults.flatMap((fault) => {
    const to = proposedName(fault.facts.key);
    const why = refusalOf();
    if (why === null) return [{ ...fault, to: to! }];
    counts.skip(why);
    return [];

    function refusalOf(): string | null {
      if (fault.facts.found.family) return OF_A_FAMILY;
      if (mayHoldSecret(fixing, fault.facts)) return HOLDS_SECRET;
      if (!to) return NO_NAME;
      const { family, malformedOf } = ctx.catalog.locate(to);
      if (family || isOwn(ctx.catalog, to)) return INTO_A_FAMILY;
      const identified = { ...fault.facts.found, family, malformedOf };
      return basis.faultOf({ ...fault.facts, key: to, found: identified }) === null ? null : NO_NAME;
    }
  });
};

/** Excludes keys whose value is masked because of their name, such as `ApiKey:1`. */
const unexposing = async ({ ctx, counts }: Fixing, named: readonly Named[]): Promise<Named[]> => {
  const identities = await identify(
    ctx,
    named.map(({ facts }) => facts.key),
  );
  const kept: Named[] = [];
  for (const [i, one] of named.entries()) {
    try {
      await refuseExposure(ctx, identities[i]!, one.to, null);
      kept.push(one);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'bad_input') throw error;
      counts.skip(HOLDS_SECRET);
    }
  }
  return kept;
};

/** Reads each key and whether its new name is free. Keys that cannot be renamed are counted. */
const renamable = async (fixing: Fixing, named: readonly Named[]): Promise<Renaming[]> => {
  const { ctx, counts, throttled } = fixing;
  const taken = await ctx.connection.background.readMany(named.map(({ to }) => ['EXISTS', to] as const));
  const out: Renaming[] = [];
  for (const [i, one] of named.entries()) {
    const before = await throttled(() => lookOrNull(ctx, one.facts.key, NOTHING_ELSE));
    if (!before) counts.vanished += 1;
    else if (before.state.digest === '') counts.skip(TOO_LARGE);
    else if (taken[i] !== 0 || !fixing.isNewName(one.to)) counts.conflicts += 1;
    else out.push({ ...one, before });
  }
  return out;
};

const undoEntry = ({ facts: { key }, to, before: { state } }: Renaming): SnapshotEntry =>
  renamedEntry({ from: key, to, type: state.type, content: contentArg(state) });

const STATES = ['changed', 'done', 'taken', 'missing', 'changed'] as const;

/** In one step; in a cluster in several, where the names are in different slots. */
const moveTo = async ({ ctx }: Fixing, key: Key, { to, before }: Renaming): Promise<Moved> => {
  const { type } = before.state;
  const content = contentArg(before.state);
  if (!inOneSlot(ctx.connection, [key, to])) return moveKey(ctx, 'rename', { from: key, to, type, content });
  const { state } = await runOn(ctx, 'rename-verified', [key, to], [type, content]);
  return STATES[state]!;
};

/** Renames a key that still equals what was read, and counts it. Returns whether it has its new name. */
const rename = async (fixing: Fixing, one: Renaming): Promise<boolean> => {
  const { counts, throttled } = fixing;
  const end = await throttled(() => moveTo(fixing, one.facts.key, one));
  if (end === 'done') counts.fixed += 1;
  else if (end === 'missing') counts.vanished += 1;
  else if (end === 'too large') counts.skip(TOO_LARGE);
  else counts.conflicts += 1;
  return end === 'done';
};

/**
 * Renames by copy, verification and removal in one step, so that the value always exists and no copy is left over.
 * Between two slots of a cluster an interruption leaves both keys.
 */
export const renameKeys: FixBatch = async (fixing, faults) => {
  const { ctx, counts, dryRun, undo } = fixing;
  const due = await renamable(fixing, await unexposing(fixing, plan(fixing, faults)));
  for (const { facts, to } of due) {
    const display = facts.found.isSettled ? displayUnclassified : displayKey;
    counts.show(facts.key, `→ ${display(to, ctx.catalog)}`);
  }
  if (dryRun) {
    counts.fixed += due.length;
    return;
  }
  await undo?.add(due.map(undoEntry));
  const unchanged: Key[] = [];
  for (const renaming of due) if (!(await rename(fixing, renaming))) unchanged.push(renaming.to);
  await undo?.void(unchanged);
};
