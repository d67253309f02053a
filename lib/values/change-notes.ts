import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { withoutStore } from '@/lib/redis/failure';
import { allReplies } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';

/** The last change of a variable or flag through Keyward. Times are epoch ms. */
const changeNote = z.object({
  at: z.number(),
  by: z.string(),
  reason: z.string().nullish(),
  /** Etag of the value set then: if the current one differs, the value was changed outside Keyward. */
  etag: z.string(),
});
export type ChangeNote = z.output<typeof changeNote>;

const noteKey = (ctx: ReadContext) => consoleFamilies.flagNote.key({ connection: ctx.connection.config.id });

/** Names with a note: changed through Keyward and not deleted by it. */
export const notedNames = (ctx: ReadContext): Promise<string[]> =>
  ctx.store.use((redis) => redis.hkeys(noteKey(ctx))).catch(withoutStore<string[]>([]));

/** Notes of these names, in order; null if there is none. */
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
 * Stores notes of changes that have just succeeded, or deletes them (`etag` null: the variable was deleted). `by`
 * overrides the actor's name. Best effort: the audit log holds the same facts.
 */
export const noteChanges = async (
  ctx: WriteContext,
  changes: readonly { name: string; etag: string | null; by?: string }[],
): Promise<void> => {
  if (changes.length === 0) return;
  const note = { at: ctx.now(), by: actorLabel(ctx.actor), reason: ctx.reason };
  await ctx.store
    .use(async (redis) => {
      const pipeline = redis.pipeline();
      for (const { name, etag, by = note.by } of changes) {
        if (etag === null) pipeline.hdel(noteKey(ctx), name);
        else pipeline.hset(noteKey(ctx), name, JSON.stringify({ ...note, by, etag } satisfies ChangeNote));
      }
      return allReplies(await pipeline.exec());
    })
    .catch(withoutStore([]));
};
