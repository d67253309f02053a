import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { iso, isoOrNull } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { canonicalIp, protector } from './address';
import {
  type BanNote,
  banNote,
  forgetBans,
  type Noted,
  newBan,
  noteText,
  readBans,
  readNoted,
  writeBans,
} from './bans';
import { count, keep, keptMembers, MAX_AUDITED, removeAll, undoAddition, undoRemoval } from './changes';
import { cancelEnd, leavePlans, planEnd, restoreNotes } from './endings';
import { addMembers, countMembers, haveMembers, setKey } from './members';
import { answerBans, type BanPlan, ipRemovals, memberRemovals, planBans } from './plan';
import { inForceWithin } from './reads';
import { guardContracts } from './schema';

export const blacklistKey = (ctx: WriteContext) => setKey(ctx, 'hawk.blacklist-ips');
const asText = (members: readonly Buffer[]): string[] => members.map((member) => textOf(member) ?? '');

/** Pasted text may be anything: the audit log keeps only what is an address. */
export const addressesOf = (ips: readonly string[]): string[] =>
  ips.flatMap((text) => {
    const reading = canonicalIp(text.slice(0, 1000).trim());
    return reading.ok ? [reading.ip] : [];
  });

export const ipsLine = (ips: readonly string[]): string =>
  (ips.length === 1 ? addressesOf(ips)[0] : undefined) ?? count(ips.length, 'entry', 'addresses');

type Add = Input<typeof guardContracts.blacklistAdd>;

const planOf = (ctx: ReadContext, ips: readonly string[]) =>
  planBans(ips, protector(ctx.connection.config.hawk.protectedIps));

const answerOf = (ctx: ReadContext, plan: BanPlan, added: readonly string[], expiresAt: number | null) => ({
  items: answerBans(plan, new Set(added), ctx.address),
  added: added.length,
  expiresAt: isoOrNull(expiresAt),
  inForceWithinSeconds: inForceWithin(ctx, 'blacklist'),
});

const endOf = ({ expiresAt }: Add, now: number): number | null =>
  expiresAt === undefined ? null : scheduledTime('expiresAt', expiresAt, now);

/** The notes of what was added, over those of bans that were lifted elsewhere. */
const noteAdded = async (ctx: WriteContext, added: readonly string[], note: BanNote): Promise<void> => {
  await leavePlans(ctx, await readNoted(ctx, added));
  await writeBans(
    ctx,
    added.map((ip) => [ip, note] as const),
  );
};

const addBans = async (ctx: WriteContext, input: Add) => {
  const key = blacklistKey(ctx);
  const before = await countMembers(ctx, key);
  const plan = await planOf(ctx, input.ips);
  const expiresAt = endOf(input, ctx.now());
  const ending = expiresAt !== null && plan.ips.length > 0 ? await planEnd(ctx, plan.ips, expiresAt) : null;
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
      ? { undo: { ...keep(members.filter((_, i) => isNew[i])), at: note.at } satisfies KeptBans }
      : {}),
  };
};

const previewBans = async (ctx: ReadContext, input: Add) => {
  const plan = await planOf(ctx, input.ips);
  const there = await haveMembers(
    ctx,
    setKey(ctx, 'hawk.blacklist-ips'),
    plan.ips.map((ip) => Buffer.from(ip)),
  );
  const missing = plan.ips.filter((_, i) => !there[i]);
  return answerOf(ctx, plan, missing, endOf(input, ctx.now()));
};

/** Lifts what an addition or a removal is about, with the notes. */
const forget = async (ctx: WriteContext, ips: readonly string[]): Promise<Noted[]> => {
  const notes = await readNoted(ctx, ips);
  await leavePlans(ctx, notes);
  await forgetBans(ctx, ips);
  return notes;
};

/** `at`: when they were banned, as their notes have it; epoch ms. */
const keptBans = keptMembers.extend({ at: z.number().nullish() });
type KeptBans = z.output<typeof keptBans>;

/** What is still the ban that was made; what was lifted and banned again since is somebody's later word. */
const sortBans = async (ctx: ReadContext, { members, at }: KeptBans) => {
  const ips = asText(members.map((id) => Buffer.from(id, 'base64url')));
  const notes = await readBans(ctx, ips);
  const isOwn = members.map((_, i) => at === undefined || !notes[i] || notes[i].at === at);
  return {
    own: members.filter((_, i) => isOwn[i]),
    again: ips
      .filter((_, i) => !isOwn[i])
      .slice(0, MAX_AUDITED)
      .map((what) => ({ what, why: 'It was banned again since.' })),
  };
};

/** Bans addresses. Protected ones, and what is no address, are answered for and left out. */
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
  run: addBans,
  undo: async (ctx, kept) => {
    const { own, again } = await sortBans(ctx, keptBans.parse(kept));
    const { members, conflicts, undone } = await undoAddition(ctx, blacklistKey(ctx), { members: own });
    await forget(ctx, asText(members));
    return { undone, conflicts: [...conflicts, ...again] };
  },
});

/** Bans with their notes, so that undoing brings back both. */
const keptNotes = z.object({ notes: z.array(z.tuple([z.string(), banNote])) });

const removeBans = async (ctx: WriteContext, input: Input<typeof guardContracts.blacklistRemove>) => {
  const removals = input.ips ? ipRemovals(input.ips) : memberRemovals(input.memberIds ?? []);
  const { members, alreadyGone, before, after } = await removeAll(ctx, blacklistKey(ctx), removals);
  const notes = await forget(ctx, asText(members));
  return {
    result: {
      removed: members.length,
      alreadyGone,
      inForceWithinSeconds: inForceWithin(ctx, 'blacklist'),
    },
    before,
    after,
    ...(members.length > 0
      ? { undo: { ...keep(members), notes: notes.map(([ip, note]) => [ip, note]) } }
      : {}),
  };
};

/** Lifts bans, and removes entries that never match. */
export const removeFromBlacklist = defineCommand({
  contract: guardContracts.blacklistRemove,
  target: ({ ips, memberIds }) => (ips ? ipsLine(ips) : count(memberIds?.length ?? 0, 'entry', 'entries')),
  redact: ({ ips, memberIds }) => ({
    count: (ips ?? memberIds ?? []).length,
    ips: addressesOf((ips ?? []).slice(0, MAX_AUDITED)),
  }),
  needsConfirmation: () => true,
  run: removeBans,
  undo: async (ctx, kept) => {
    const { members, ...undone } = await undoRemoval(ctx, blacklistKey(ctx), kept);
    const back = new Set(asText(members));
    const { notes } = keptNotes.parse(kept);
    await restoreNotes(
      ctx,
      notes.filter(([ip]) => back.has(ip)),
    );
    return undone;
  },
});
