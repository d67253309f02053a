import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withoutStore } from '@/lib/redis/failure';
import { allReplies } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { type ChangeNote, noteChanges, notedName, readChangeNotes } from '@/lib/values/change-notes';
import { flagsOf } from './names';
import { type FlagAbout, flagAbout } from './schema';

/** A value, since when it was seen, and whether another one had been seen before. */
const observation = z.object({ at: z.number(), etag: z.string(), isChange: z.boolean().default(false) });

/** Stored apart from the description, which is text. */
const details = flagAbout.omit({ description: true });
export const NO_ABOUT: FlagAbout = { description: null, owner: null, kind: null, tags: [] };

/** Metadata of a flag in Keyward's own store. Times are epoch ms. */
export interface FlagNotes {
  /** The last change made through Keyward. */
  change: ChangeNote | null;
  about: FlagAbout;
  /** The last value that was not set through Keyward. */
  seen: z.output<typeof observation> | null;
  /** `seen` as stored, for compare-and-set. */
  seenText: string;
}

const keysOf = (ctx: ReadContext) => {
  const connection = { connection: ctx.connection.config.id };
  return {
    description: consoleFamilies.flagDescription.key(connection),
    details: consoleFamilies.flagDetails.key(connection),
    seen: consoleFamilies.flagSeen.key(connection),
  };
};

const noted = (ctx: ReadContext, name: string): string => notedName(flagsOf(ctx).index, name);

/** Notes of these flags, in order; null while the store is unreachable. */
export const readNotes = async (ctx: ReadContext, flags: readonly string[]): Promise<FlagNotes[] | null> => {
  if (flags.length === 0) return [];
  const names = flags.map((name) => noted(ctx, name));
  const keys = keysOf(ctx);
  const texts = await ctx.store
    .use(async (redis) => {
      const pipeline = redis.pipeline();
      for (const key of [keys.description, keys.details, keys.seen]) pipeline.hmget(key, ...names);
      return allReplies(await pipeline.exec()) as (string | null)[][];
    })
    .catch(withoutStore(null));
  if (!texts) return null;
  const changes = await readChangeNotes(ctx, names);
  const [descriptions = [], detailed = [], seen = []] = texts;
  return names.map((_, i) => ({
    change: changes[i] ?? null,
    about: {
      ...NO_ABOUT,
      ...parseStored(details, detailed[i]),
      description: descriptions[i] ?? null,
    },
    seen: parseStored(observation, seen[i]),
    seenText: seen[i] ?? '',
  }));
};

export interface Unchanged {
  /** Epoch ms. */
  since: number;
  /** The change through Keyward that set this value; null if it was set otherwise. */
  change: ChangeNote | null;
  /** Another value was stored before, and Keyward did not set this one. */
  changedOutside: boolean;
  /** The value is not noted yet. */
  isNew: boolean;
}

/**
 * Since when a flag is known to hold the value with this etag, by its latest note; `now` if the note is about another
 * value.
 */
export const unchangedSince = (
  { change, seen }: Pick<FlagNotes, 'change' | 'seen'>,
  etag: string,
  now: number,
): Unchanged => {
  const isSet = change !== null && change.at >= (seen?.at ?? 0);
  if (isSet && change.etag === etag) return { since: change.at, change, changedOutside: false, isNew: false };
  if (!isSet && seen?.etag === etag)
    return { since: seen.at, change: null, changedOutside: seen.isChange, isNew: false };
  return { since: now, change: null, changedOutside: change !== null || seen !== null, isNew: true };
};

/** Stores when new values were first seen. Compare-and-set: of concurrent readers the first one's time is kept. */
export const noteSeen = async (
  ctx: ReadContext,
  observations: readonly { name: string; etag: string; since: number; isChange: boolean; seenText: string }[],
): Promise<void> => {
  if (observations.length === 0) return;
  const fields = observations.flatMap(({ name, etag, since, isChange, seenText }) => [
    noted(ctx, name),
    seenText,
    JSON.stringify({ at: since, etag, isChange } satisfies z.output<typeof observation>),
  ]);
  await ctx.store.run('hash-replace', [keysOf(ctx).seen], fields).catch(withoutStore(null));
};

/** Stores the author of a successful change. */
export const noteChange = (ctx: WriteContext, name: string, etag: string, by?: string): Promise<void> =>
  noteChanges(ctx, [{ name: noted(ctx, name), etag, ...(by ? { by } : {}) }]);

/** Replaces what is noted about a flag. */
export const setAbout = async (
  ctx: WriteContext,
  name: string,
  { description, ...others }: FlagAbout,
): Promise<void> => {
  const keys = keysOf(ctx);
  const field = noted(ctx, name);
  const isPlain = others.owner === null && others.kind === null && others.tags.length === 0;
  const stored = [
    [keys.description, description],
    [keys.details, isPlain ? null : JSON.stringify(others)],
  ] as const;
  await ctx.store.use(async (redis) => {
    const both = redis.multi();
    for (const [key, text] of stored)
      if (text === null) both.hdel(key, field);
      else both.hset(key, field, text);
    return allReplies(await both.exec());
  });
};

/** Deletes the notes of a deleted flag. */
export const forgetNotes = async (ctx: WriteContext, name: string): Promise<void> => {
  const keys = Object.values(keysOf(ctx));
  await ctx.store
    .use(async (redis) => {
      const pipeline = redis.pipeline();
      for (const key of keys) pipeline.hdel(key, noted(ctx, name));
      return allReplies(await pipeline.exec());
    })
    .catch(withoutStore([]));
  await noteChanges(ctx, [{ name: noted(ctx, name), etag: null }]);
};
