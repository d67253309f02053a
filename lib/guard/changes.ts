import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { displayName, keyFromId, keyId } from '@/lib/keyspace/display';
import type { Key } from '@/lib/redis/commands';
import { addMembers, countMembers, removeMembers } from './members';
import type { Removal } from './plan';

export const MAX_AUDITED = 50;

export const count = (things: number, one: string, many: string): string =>
  `${things} ${things === 1 ? one : many}`;

/** The target of a change of members: the one by its name, several by their number. */
export const membersLine = (memberIds: readonly string[], one: string, many: string): string => {
  const bytes = memberIds.length === 1 ? keyFromId(memberIds[0]!) : null;
  return bytes ? displayName(bytes, 100) : count(memberIds.length, one, many);
};

/** Members for an audit entry, shortened. */
export const audited = (members: readonly Buffer[]): AuditJson =>
  members.slice(0, MAX_AUDITED).map((member) => displayName(member, 100));

export interface Removed {
  members: Buffer[];
  /** Entries of the request that had nothing to remove. */
  alreadyGone: number;
  before: AuditJson;
  after: AuditJson;
}

/** Removes members. Two entries for the same member count as one removed and one already gone. */
export const removeAll = async (
  ctx: WriteContext,
  key: Key,
  removals: readonly Removal[],
): Promise<Removed> => {
  const size = await countMembers(ctx, key);
  const candidates = removals.flatMap((members, index) => members.map((member) => ({ member, index })));
  const removed = await removeMembers(
    ctx,
    key,
    candidates.map(({ member }) => member),
  );
  const found = candidates.filter((_, i) => removed[i]);
  const members = found.map(({ member }) => member);
  return {
    members,
    alreadyGone: removals.length - new Set(found.map(({ index }) => index)).size,
    before: { members: size, entries: audited(members) },
    after: { members: size - members.length, removed: members.length },
  };
};

/** What undo needs: the members that were added or removed. */
export const undoMembers = z.object({ members: z.array(z.string()) });

export const membersForUndo = (members: readonly Buffer[]): { members: string[] } => ({
  members: members.map(keyId),
});

const conflicts = (members: readonly Buffer[], done: readonly boolean[], why: string): Undone['conflicts'] =>
  members
    .filter((_, i) => !done[i])
    .slice(0, MAX_AUDITED)
    .map((member) => ({ what: displayName(member, 100), why }));

const undo =
  (change: typeof addMembers, why: string) =>
  async (ctx: WriteContext, key: Key, record: unknown): Promise<Undone & { members: Buffer[] }> => {
    const members = undoMembers.parse(record).members.map((id) => Buffer.from(id, 'base64url'));
    const done = await change(ctx, key, members);
    return {
      undone: done.filter(Boolean).length,
      conflicts: conflicts(members, done, why),
      members: members.filter((_, i) => done[i]),
    };
  };

/** Undoes an addition: removes the members that it added. */
export const undoAddition = undo(removeMembers, 'Already removed.');

/** Undoes a removal: adds the members that it removed. */
export const undoRemoval = undo(addMembers, 'Already added again.');
