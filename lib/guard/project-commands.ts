import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import {
  asText,
  deleteNotes,
  type Noted,
  newBan,
  notesOfRestored,
  readNoted,
  removalForUndo,
  writeNotes,
} from './bans';
import {
  count,
  MAX_AUDITED,
  membersForUndo,
  membersLine,
  removeAll,
  undoAddition,
  undoRemoval,
} from './changes';
import { impactOfBlock, impactOnPresent } from './impact';
import { addMembers, countMembers, setKey } from './members';
import { memberRemovals, projectRemovals } from './plan';
import { secondsToEffect } from './reads';
import { guardContracts } from './schema';

const projectsKey = (ctx: WriteContext) => setKey(ctx, 'block-list');

/** MongoDB prints ids in lower case and the collector compares exact text: upper case would block nothing. */
const stored = (projectIds: readonly string[]): string[] => projectIds.map((id) => id.toLowerCase());

const projectsLine = (projectIds: readonly string[]): string =>
  projectIds.length === 1 ? projectIds[0]!.toLowerCase() : count(projectIds.length, 'project', 'projects');

const block = async (ctx: WriteContext, input: Input<typeof guardContracts.projectsBlock>) => {
  const key = projectsKey(ctx);
  const before = await countMembers(ctx, key);
  const requested = stored(input.projectIds);
  const ids = [...new Set(requested)];
  const members = ids.map((id) => Buffer.from(id));
  const isNew = await addMembers(ctx, key, members);
  const added = ids.filter((_, i) => isNew[i]);
  const note = newBan(ctx, undefined);
  await writeNotes(
    ctx,
    added.map((id): Noted => [id, note]),
  );
  const unreported = new Set(added);
  // If an id is repeated, only its first occurrence is `added`: `delete` returns true once.
  const items = requested.map((projectId) => ({
    projectId,
    status: unreported.delete(projectId) ? ('added' as const) : ('already' as const),
  }));
  return {
    result: {
      added: added.length,
      already: items.length - added.length,
      items,
      inForceWithinSeconds: secondsToEffect(ctx, 'projects'),
    },
    before: { members: before },
    after: { members: before + added.length, added: added.length, entries: added.slice(0, MAX_AUDITED) },
    ...(added.length > 0 ? { undo: membersForUndo(members.filter((_, i) => isNew[i])) } : {}),
  };
};

/** Blocks projects: the collector refuses their events from its next reload. */
export const blockProjects = defineCommand({
  contract: guardContracts.projectsBlock,
  target: ({ projectIds }) => projectsLine(projectIds),
  redact: ({ projectIds }) => ({
    count: projectIds.length,
    projectIds: stored(projectIds.slice(0, MAX_AUDITED)),
  }),
  needsConfirmation: ({ projectIds }) => projectIds.length > 1,
  impact: impactOfBlock,
  run: block,
  undo: async (ctx, record) => {
    const { members, ...undone } = await undoAddition(ctx, projectsKey(ctx), record);
    await deleteNotes(ctx, asText(members));
    return undone;
  },
});

const unblock = async (ctx: WriteContext, input: Input<typeof guardContracts.projectsUnblock>) => {
  const removals = input.projectIds
    ? projectRemovals(input.projectIds)
    : memberRemovals(input.memberIds ?? []);
  const { members, alreadyGone, before, after } = await removeAll(ctx, projectsKey(ctx), removals);
  const notes = await readNoted(ctx, asText(members));
  await deleteNotes(ctx, asText(members));
  return {
    result: { removed: members.length, alreadyGone, inForceWithinSeconds: secondsToEffect(ctx, 'projects') },
    before,
    after,
    ...removalForUndo(members, notes),
  };
};

/** Unblocks projects, and removes entries that are not a project id. */
export const unblockProjects = defineCommand({
  contract: guardContracts.projectsUnblock,
  target: ({ projectIds, memberIds }) =>
    projectIds ? projectsLine(projectIds) : membersLine(memberIds ?? [], 'project', 'projects'),
  redact: ({ projectIds, memberIds }) => ({
    count: (projectIds ?? memberIds ?? []).length,
    projectIds: stored((projectIds ?? []).slice(0, MAX_AUDITED)),
  }),
  needsConfirmation: () => true,
  impact: impactOnPresent('block-list'),
  run: unblock,
  undo: async (ctx, record) => {
    const { members, ...undone } = await undoRemoval(ctx, projectsKey(ctx), record);
    await writeNotes(ctx, notesOfRestored(record, members));
    return undone;
  },
});
