import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { maskSecrets } from '@/lib/keyspace/mask';
import { withoutStore } from '@/lib/redis/failure';
import { allReplies } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { textOf } from '@/lib/values/string-value';
import { membersForUndo } from './changes';

/**
 * What the console stores about a ban or a blocked project, one JSON text per address or project id, which never look
 * alike. Times in epoch ms.
 */
export const banNote = z.object({
  note: z.string().nullable(),
  /** Who banned or blocked it, and when; null if that was done outside the console. */
  author: z.string().nullable(),
  at: z.number().nullable(),
  expiresAt: z.number().nullable().default(null),
  /** Id of the scheduled work that lifts it. */
  plan: z.string().nullable().default(null),
});
export type BanNote = z.output<typeof banNote>;

/** A ban's address, or a blocked project's id, and its note. */
export type Noted = readonly [member: string, note: BanNote];

const BATCH_SIZE = 1000;

const noteKey = (ctx: ReadContext) => consoleFamilies.ban.key({ connection: ctx.connection.config.id });
const planKey = (ctx: ReadContext, id: string) =>
  consoleFamilies.banPlan.key({ connection: ctx.connection.config.id, id });

export const batches = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / BATCH_SIZE) }, (_, i) =>
    all.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE),
  );

/** '' for a member that is not text: it has no note. */
export const asText = (members: readonly Buffer[]): string[] => members.map((member) => textOf(member) ?? '');

/** The notes of these addresses, in order. Throws 503 without the store. */
export const readNotes = async (ctx: ReadContext, ips: readonly string[]): Promise<(BanNote | null)[]> => {
  const texts: (string | null)[] = [];
  for (const batch of batches(ips))
    texts.push(...(await ctx.store.use((redis) => redis.hmget(noteKey(ctx), ...batch))));
  return texts.map((text) => parseStored(banNote, text));
};

/** As `readNotes`, but answers nulls without the store. */
export const readNotesIfStored = (ctx: ReadContext, ips: readonly string[]): Promise<(BanNote | null)[]> =>
  readNotes(ctx, ips).catch(withoutStore<(BanNote | null)[]>(ips.map(() => null)));

/** Those of these addresses that have a note. */
export const readNoted = async (ctx: ReadContext, ips: readonly string[]): Promise<Noted[]> => {
  const notes = await readNotesIfStored(ctx, ips);
  return ips.flatMap((ip, i): Noted[] => (notes[i] ? [[ip, notes[i]]] : []));
};

/** Writes notes, and in the same transaction adds those with an end to the plan that lifts them. */
export const writeNotes = async (ctx: WriteContext, notes: readonly Noted[]): Promise<void> => {
  for (const batch of batches(notes)) {
    const write = ctx.store.use(async (redis) => {
      const change = redis.multi();
      change.hset(noteKey(ctx), ...batch.flatMap(([ip, note]) => [ip, JSON.stringify(note)]));
      for (const [ip, { plan }] of batch) if (plan !== null) change.sadd(planKey(ctx, plan), ip);
      allReplies(await change.exec());
    });
    // Losing an explanation is acceptable, a ban that never ends is not: with an end, a write that fails fails the change.
    await (batch.some(([, { plan }]) => plan !== null) ? write : write.catch(withoutStore(undefined)));
  }
};

export const deleteNotes = async (ctx: WriteContext, ips: readonly string[]): Promise<void> => {
  for (const batch of batches(ips))
    await ctx.store.use((redis) => redis.hdel(noteKey(ctx), ...batch)).catch(withoutStore(0));
};

/** The addresses a plan lifts; no more than one change can ban. */
export const plannedIps = (ctx: ReadContext, plan: string): Promise<string[]> =>
  ctx.store.use((redis) => redis.smembers(planKey(ctx, plan)));

/** Removes addresses from a plan. Returns how many it still has. */
export const removeFromPlan = async (
  ctx: WriteContext,
  plan: string,
  ips: readonly string[],
): Promise<number> => {
  for (const batch of batches(ips)) await ctx.store.use((redis) => redis.srem(planKey(ctx, plan), ...batch));
  return ctx.store.use((redis) => redis.scard(planKey(ctx, plan)));
};

export const deletePlan = async (ctx: ReadContext, plan: string): Promise<void> => {
  await ctx.store.use((redis) => redis.unlink(planKey(ctx, plan)));
};

/** What undo of a removal needs: its members, and their notes. Records of earlier versions have no notes. */
const removedNotes = z.object({ notes: z.array(z.tuple([z.string(), banNote])).default([]) });

export const removalForUndo = (members: readonly Buffer[], notes: readonly Noted[]) =>
  members.length > 0
    ? { undo: { ...membersForUndo(members), notes: notes.map(([member, note]) => [member, note]) } }
    : {};

/** The notes of those members of a removal that undo added again. */
export const notesOfRestored = (record: unknown, restored: readonly Buffer[]): Noted[] => {
  const names = new Set(asText(restored));
  return removedNotes.parse(record).notes.filter(([member]) => names.has(member));
};

/** Masks tokens that somebody pasted into a note: everyone with the list sees notes. */
export const noteText = (text: string | null | undefined): string | null =>
  maskSecrets(text?.trim() ?? '', false) || null;

/** The note of a ban or block that the caller makes now. */
export const newBan = (ctx: WriteContext, note: string | undefined): BanNote => ({
  note: noteText(note) ?? ctx.reason,
  author: actorLabel(ctx.actor),
  at: ctx.now(),
  expiresAt: null,
  plan: null,
});
