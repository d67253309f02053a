import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { iso, isoOrNull } from '@/lib/time';
import { canonicalIp, protector } from './address';
import {
  asText,
  type BanNote,
  deleteNotes,
  type Noted,
  newBan,
  notesOfRestored,
  noteText,
  readNoted,
  readNotesIfStored,
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
  undoMembers,
  undoRemoval,
} from './changes';
import { cancelEnd, leaveEndings, restoreNotes, scheduleEnd } from './endings';
import { impactOnPresent } from './impact';
import { addMembers, areMembers, countMembers, setKey } from './members';
import { answerBans, type BanPlan, ipRemovals, memberRemovals, planBans } from './plan';
import { secondsToEffect } from './reads';
import { guardContracts } from './schema';

export const blacklistKey = (ctx: WriteContext) => setKey(ctx, 'ban-list');

/** The addresses in pasted text: nothing else of it may reach the audit log. */
export const addressesOf = (ips: readonly string[]): string[] =>
  ips.flatMap((text) => {
    const reading = canonicalIp(text.slice(0, 1000).trim());
    return reading.ok ? [reading.ip] : [];
  });

export const ipsLine = (ips: readonly string[]): string =>
  (ips.length === 1 ? addressesOf(ips)[0] : undefined) ?? count(ips.length, 'entry', 'addresses');

type Add = Input<typeof guardContracts.blacklistAdd>;

const readPlan = (ctx: ReadContext, ips: readonly string[]) =>
  planBans(ips, protector(ctx.connection.config.hawk.protectedIps));

const answerOf = (ctx: ReadContext, plan: BanPlan, added: readonly string[], expiresAt: number | null) => ({
  items: answerBans(plan, new Set(added), ctx.address),
  added: added.length,
  expiresAt: isoOrNull(expiresAt),
  inForceWithinSeconds: secondsToEffect(ctx, 'blacklist'),
});

const endOf = ({ expiresAt }: Add, now: number): number | null =>
  expiresAt === undefined ? null : scheduledTime('expiresAt', expiresAt, now);

/** Writes the notes of new bans. An old note may be left from a ban that was lifted outside the console. */
const noteAdded = async (ctx: WriteContext, added: readonly string[], note: BanNote): Promise<void> => {
  await leaveEndings(ctx, await readNoted(ctx, added));
  await writeNotes(
    ctx,
    added.map((ip) => [ip, note] as const),
  );
};

const addBans = async (ctx: WriteContext, input: Add) => {
  const key = blacklistKey(ctx);
  const before = await countMembers(ctx, key);
  const plan = await readPlan(ctx, input.ips);
  const expiresAt = endOf(input, ctx.now());
  const ending =
    expiresAt !== null && plan.ips.length > 0 ? await scheduleEnd(ctx, plan.ips, expiresAt) : null;
  const members = plan.ips.map((ip) => Buffer.from(ip));
  const isNew = await addMembers(ctx, key, members);
  const added = plan.ips.filter((_, i) => isNew[i]);
  const note = newBan(ctx, input.note);
  await noteAdded(ctx, added, { ...note, expiresAt, plan: ending });
  if (ending !== null && added.length === 0) await cancelEnd(ctx, ending);
  return {
    result: answerOf(ctx, plan, added, expiresAt),
    before: { members: before },
    after: {
      members: before + added.length,
      added: added.length,
      entries: added.slice(0, MAX_AUDITED),
      ...(expiresAt === null ? {} : { expiresAt: iso(expiresAt) }),
    },
    ...(added.length > 0
      ? { undo: { ...membersForUndo(members.filter((_, i) => isNew[i])), at: note.at } satisfies UndoBans }
      : {}),
  };
};

const previewBans = async (ctx: ReadContext, input: Add) => {
  const plan = await readPlan(ctx, input.ips);
  const isMember = await areMembers(
    ctx,
    setKey(ctx, 'ban-list'),
    plan.ips.map((ip) => Buffer.from(ip)),
  );
  const missing = plan.ips.filter((_, i) => !isMember[i]);
  return answerOf(ctx, plan, missing, endOf(input, ctx.now()));
};

/** Deletes the notes of lifted bans, and returns them. */
const deleteNotesOf = async (ctx: WriteContext, ips: readonly string[]): Promise<Noted[]> => {
  const notes = await readNoted(ctx, ips);
  await leaveEndings(ctx, notes);
  await deleteNotes(ctx, ips);
  return notes;
};

/** `at`: when they were banned, epoch ms, as in their notes. */
const undoBans = undoMembers.extend({ at: z.number().nullish() });
type UndoBans = z.output<typeof undoBans>;

/** Splits bans into those unchanged since and those that were lifted and made again: a later ban is not undone. */
const splitBans = async (ctx: ReadContext, { members, at }: UndoBans) => {
  const ips = asText(members.map((id) => Buffer.from(id, 'base64url')));
  const notes = await readNotesIfStored(ctx, ips);
  const isUnchanged = members.map((_, i) => at === undefined || !notes[i] || notes[i].at === at);
  return {
    unchanged: members.filter((_, i) => isUnchanged[i]),
    again: ips
      .filter((_, i) => !isUnchanged[i])
      .slice(0, MAX_AUDITED)
      .map((what) => ({ what, why: 'Banned again since.' })),
  };
};

/** Bans addresses. Protected addresses and text that is not an address are reported and left out. */
export const addToBlacklist = defineCommand({
  contract: guardContracts.blacklistAdd,
  target: ({ ips }) => ipsLine(ips),
  redact: ({ ips, note, expiresAt }) => ({
    count: ips.length,
    ips: addressesOf(ips.slice(0, MAX_AUDITED)),
    ...(note === undefined ? {} : { note: noteText(note) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }),
  needsConfirmation: ({ ips }) => ips.length > 1,
  preview: previewBans,
  impact: async (ctx, input) => {
    const { added, items } = await previewBans(ctx, input);
    return { count: added, facts: { named: items.length } };
  },
  run: addBans,
  undo: async (ctx, record) => {
    const { unchanged, again } = await splitBans(ctx, undoBans.parse(record));
    const { members, conflicts, undone } = await undoAddition(ctx, blacklistKey(ctx), { members: unchanged });
    await deleteNotesOf(ctx, asText(members));
    return { undone, conflicts: [...conflicts, ...again] };
  },
});

const removeBans = async (ctx: WriteContext, input: Input<typeof guardContracts.blacklistRemove>) => {
  const removals = input.ips ? ipRemovals(input.ips) : memberRemovals(input.memberIds ?? []);
  const { members, alreadyGone, before, after } = await removeAll(ctx, blacklistKey(ctx), removals);
  const notes = await deleteNotesOf(ctx, asText(members));
  return {
    result: {
      removed: members.length,
      alreadyGone,
      inForceWithinSeconds: secondsToEffect(ctx, 'blacklist'),
    },
    before,
    after,
    ...removalForUndo(members, notes),
  };
};

/** Lifts bans, including entries that never match. */
export const removeFromBlacklist = defineCommand({
  contract: guardContracts.blacklistRemove,
  target: ({ ips, memberIds }) => (ips ? ipsLine(ips) : membersLine(memberIds ?? [], 'address', 'addresses')),
  redact: ({ ips, memberIds }) => ({
    count: (ips ?? memberIds ?? []).length,
    ips: addressesOf((ips ?? []).slice(0, MAX_AUDITED)),
  }),
  needsConfirmation: () => true,
  impact: impactOnPresent('ban-list'),
  run: removeBans,
  undo: async (ctx, record) => {
    const { members, ...undone } = await undoRemoval(ctx, blacklistKey(ctx), record);
    await restoreNotes(ctx, notesOfRestored(record, members));
    return undone;
  },
});
