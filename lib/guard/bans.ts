import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';

/** What the console remembers of a ban, in its own store: one JSON text per address. Times in epoch ms. */
export const banNote = z.object({
  note: z.string().nullable(),
  author: z.string(),
  at: z.number(),
  expiresAt: z.number().nullable().default(null),
});
export type BanNote = z.output<typeof banNote>;

const AT_ONCE = 1000;

const noteKey = (ctx: ReadContext) => consoleFamilies.ban.key({ connection: ctx.connection.config.id });

/** Notes only explain bans: without the store the sets are read and a change that has begun goes on. */
const withoutStore =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (error instanceof Problem && error.code === 'store_unavailable') return fallback;
    throw error;
  };

const parseNote = (text: string | null | undefined): BanNote | null => {
  if (!text) return null;
  try {
    return banNote.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

const batches = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, i) =>
    all.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
  );

/** The notes of these addresses, in order. */
export const readBans = async (ctx: ReadContext, ips: readonly string[]): Promise<(BanNote | null)[]> => {
  const texts: (string | null)[] = [];
  for (const batch of batches(ips)) {
    const found = await ctx.store
      .use((redis) => redis.hmget(noteKey(ctx), ...batch))
      .catch(withoutStore<(string | null)[]>(batch.map(() => null)));
    texts.push(...found);
  }
  return texts.map(parseNote);
};

export const writeBans = async (
  ctx: WriteContext,
  notes: readonly (readonly [ip: string, note: BanNote])[],
): Promise<void> => {
  for (const batch of batches(notes)) {
    const fields = batch.flatMap(([ip, note]) => [ip, JSON.stringify(note)]);
    await ctx.store.use((redis) => redis.hset(noteKey(ctx), ...fields)).catch(withoutStore(0));
  }
};

export const forgetBans = async (ctx: WriteContext, ips: readonly string[]): Promise<void> => {
  for (const batch of batches(ips))
    await ctx.store.use((redis) => redis.hdel(noteKey(ctx), ...batch)).catch(withoutStore(0));
};

/** The note of a ban made now by whoever acts. */
export const newBan = (ctx: WriteContext): BanNote => ({
  note: ctx.reason,
  author: actorLabel(ctx.actor),
  at: ctx.now(),
  expiresAt: null,
});
