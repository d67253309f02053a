import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';

/** What the console remembers of a flag beside its value: in its own store, one JSON text per name. */
const flagNote = z.object({
  at: z.number().optional(),
  by: z.string().optional(),
  reason: z.string().nullish(),
  /** Of the value set then: where the present one differs, somebody else changed it since. */
  etag: z.string().optional(),
  description: z.string().nullish(),
});
export type FlagNote = z.output<typeof flagNote>;

const noteKey = (ctx: ReadContext) => consoleFamilies.flagNote.key({ connection: ctx.connection.config.id });

const parseNote = (text: string | null | undefined): FlagNote => {
  if (!text) return {};
  try {
    return flagNote.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
};

/** Without the store there are no notes, and flags are listed all the same (issue: reads go on). */
const withoutStore =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (error instanceof Problem && error.code === 'store_unavailable') return fallback;
    throw error;
  };

export const readNotes = async (ctx: ReadContext, names: readonly string[]): Promise<FlagNote[]> => {
  if (names.length === 0) return [];
  const texts = await ctx.store
    .use((redis) => redis.hmget(noteKey(ctx), ...names))
    .catch(withoutStore<(string | null)[]>([]));
  return names.map((_, index) => parseNote(texts[index]));
};

/** Remembers who made the change that has just succeeded; the audit log has it too, so losing it breaks nothing. */
export const noteChange = async (ctx: WriteContext, name: string, etag: string): Promise<void> => {
  const [before] = await readNotes(ctx, [name]);
  const note: FlagNote = {
    ...before,
    at: ctx.now(),
    by: actorLabel(ctx.actor),
    reason: ctx.reason,
    etag,
  };
  await ctx.store.use((redis) => redis.hset(noteKey(ctx), name, JSON.stringify(note))).catch(withoutStore(0));
};
