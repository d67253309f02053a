import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { withoutStore } from '@/lib/redis/failure';
import { allReplies } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';

/** Who changed a variable or flag last through this console, and why. Times are epoch ms. */
const changeNote = z.object({
  at: z.number(),
  by: z.string(),
  reason: z.string().nullish(),
  /** Of the value set then: where the present one differs, somebody else changed it since. */
  etag: z.string(),
});
export type ChangeNote = z.output<typeof changeNote>;

const noteKey = (ctx: ReadContext) => consoleFamilies.flagNote.key({ connection: ctx.connection.config.id });

/** The names that were changed through this console and not deleted by it. */
export const notedNames = (ctx: ReadContext): Promise<string[]> =>
  ctx.store.use((redis) => redis.hkeys(noteKey(ctx))).catch(withoutStore<string[]>([]));

/** The notes of these names, in order; null where nothing is known. */
export const readChangeNotes = async (
  ctx: ReadContext,
  names: readonly string[],
): Promise<(ChangeNote | null)[]> => {
  if (names.length === 0) return [];
  const texts = await ctx.store
    .use((redis) => redis.hmget(noteKey(ctx), ...names))
    .catch(withoutStore<(string | null)[]>([]));
  return names.map((_, index) => parseStored(changeNote, texts[index]));
};

/**
 * Remembers who made the changes that have just succeeded, by the etag of what is there now (null: it is gone, and
 * so is its note), in the name of whoever acts unless `by` names others. The audit log has it too: losing a note
 * breaks nothing.
 */
export const noteChanges = async (
  ctx: WriteContext,
  changes: readonly { name: string; etag: string | null; by?: string }[],
): Promise<void> => {
  if (changes.length === 0) return;
  const made = { at: ctx.now(), by: actorLabel(ctx.actor), reason: ctx.reason };
  await ctx.store
    .use(async (redis) => {
      const pipeline = redis.pipeline();
      for (const { name, etag, by = made.by } of changes) {
        if (etag === null) pipeline.hdel(noteKey(ctx), name);
        else pipeline.hset(noteKey(ctx), name, JSON.stringify({ ...made, by, etag } satisfies ChangeNote));
      }
      return allReplies(await pipeline.exec());
    })
    .catch(withoutStore([]));
};
