import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withoutStore } from '@/lib/redis/failure';
import { allReplies } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import type { IndexedNames } from './name-index';

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

/** Prefix of flags that are not variables. No name contains it: control characters are escaped. */
const FLAG_MARK = '\u0000';

/** The name under which a flag or variable is noted. A flag that is also a variable has the variable's note. */
export const notedName = (kind: IndexedNames, name: string): string =>
  kind === 'flag' ? FLAG_MARK + name : name;

/** Names with a note: changed through Keyward and not deleted by it. */
export const notedNames = async (ctx: ReadContext, kind: IndexedNames): Promise<string[]> => {
  const fields = await ctx.store.use((redis) => redis.hkeys(noteKey(ctx))).catch(withoutStore<string[]>([]));
  return fields
    .filter((field) => field.startsWith(FLAG_MARK) === (kind === 'flag'))
    .map((field) => (kind === 'flag' ? field.slice(FLAG_MARK.length) : field));
};

/** Notes of these names (as `notedName` returns them), in order; null if there is none. */
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
