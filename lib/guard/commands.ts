import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { textOf } from '@/lib/values/string-value';
import { canonicalIp, protector } from './address';
import { type BanNote, banNote, forgetBans, newBan, readBans, writeBans } from './bans';
import { count, keep, MOST_AUDITED, removeAll, undoAddition, undoRemoval } from './changes';
import { addMembers, countMembers, setKey } from './members';
import { answerBans, ipRemovals, memberRemovals, planBans } from './plan';
import { inForceWithin } from './reads';
import { guardContracts } from './schema';

const blacklistKey = (ctx: WriteContext) => setKey(ctx, 'hawk.blacklist-ips');
const asText = (members: readonly Buffer[]): string[] => members.map((member) => textOf(member) ?? '');

/** Pasted text may be anything: the audit log keeps only what is an address. */
const addressesOf = (ips: readonly string[]): string[] =>
  ips.flatMap((text) => {
    const reading = canonicalIp(text.trim());
    return reading.ok ? [reading.ip] : [];
  });

const ipsLine = (ips: readonly string[]): string =>
  (ips.length === 1 ? addressesOf(ips)[0] : undefined) ?? count(ips.length, 'entry', 'addresses');

const addBans = async (ctx: WriteContext, { ips }: Input<typeof guardContracts.blacklistAdd>) => {
  const key = blacklistKey(ctx);
  const before = await countMembers(ctx, key);
  const plan = planBans(ips, protector(ctx.connection.config.hawk.protectedIps));
  const members = plan.ips.map((ip) => Buffer.from(ip));
  const isNew = await addMembers(ctx, key, members);
  const added = plan.ips.filter((_, i) => isNew[i]);
  const note = newBan(ctx);
  await writeBans(
    ctx,
    added.map((ip) => [ip, note] as const),
  );
  return {
    result: {
      items: answerBans(plan, new Set(added)),
      added: added.length,
      inForceWithinSeconds: inForceWithin(ctx, 'blacklist'),
    },
    before: { members: before },
    after: { members: before + added.length, added: added.length, entries: added.slice(0, MOST_AUDITED) },
    ...(added.length > 0 ? { undo: keep(members.filter((_, i) => isNew[i])) } : {}),
  };
};

/** Bans addresses. Protected ones, and what is no address, are answered for and left out. */
export const addToBlacklist = defineCommand({
  contract: guardContracts.blacklistAdd,
  target: ({ ips }) => ipsLine(ips),
  redact: ({ ips }) => ({ count: ips.length, ips: addressesOf(ips.slice(0, MOST_AUDITED)) }),
  farReaching: ({ ips }) => ips.length > 1,
  run: addBans,
  undo: async (ctx, kept) => {
    const { members, ...undone } = await undoAddition(ctx, blacklistKey(ctx), kept);
    await forgetBans(ctx, asText(members));
    return undone;
  },
});

/** Bans with their notes, so that undoing brings back both. */
const keptNotes = z.object({ notes: z.array(z.tuple([z.string(), banNote])) });

const readNotes = async (ctx: WriteContext, ips: readonly string[]): Promise<[string, BanNote][]> => {
  const notes = await readBans(ctx, ips);
  return ips.flatMap((ip, i): [string, BanNote][] => (notes[i] ? [[ip, notes[i]]] : []));
};

const removeBans = async (ctx: WriteContext, input: Input<typeof guardContracts.blacklistRemove>) => {
  const removals = input.ips ? ipRemovals(input.ips) : memberRemovals(input.memberIds ?? []);
  const { members, alreadyGone, before, after } = await removeAll(ctx, blacklistKey(ctx), removals);
  const ips = asText(members);
  const notes = await readNotes(ctx, ips);
  await forgetBans(ctx, ips);
  return {
    result: {
      removed: members.length,
      alreadyGone,
      inForceWithinSeconds: inForceWithin(ctx, 'blacklist'),
    },
    before,
    after,
    ...(members.length > 0 ? { undo: { ...keep(members), notes } } : {}),
  };
};

/** Lifts bans, and removes entries that never match. */
export const removeFromBlacklist = defineCommand({
  contract: guardContracts.blacklistRemove,
  target: ({ ips, memberIds }) => (ips ? ipsLine(ips) : count(memberIds?.length ?? 0, 'entry', 'entries')),
  redact: ({ ips, memberIds }) => ({
    count: (ips ?? memberIds ?? []).length,
    ips: addressesOf((ips ?? []).slice(0, MOST_AUDITED)),
  }),
  farReaching: () => true,
  run: removeBans,
  undo: async (ctx, kept) => {
    const { members, ...undone } = await undoRemoval(ctx, blacklistKey(ctx), kept);
    const back = new Set(asText(members));
    const { notes } = keptNotes.parse(kept);
    await writeBans(
      ctx,
      notes.filter(([ip]) => back.has(ip)),
    );
    return undone;
  },
});
