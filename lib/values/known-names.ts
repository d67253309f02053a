import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import { withoutStore } from '@/lib/redis/failure';
import { notedNames } from './change-notes';
import { readVariableIndex } from './variable-index';
import { type NamedVariable, variableKey, WALK_MS_OF_REQUEST, walkOf } from './variable-names';

/** Names for a list, which says how old they are. */
export interface KnownNames {
  names: NamedVariable[];
  /** Epoch ms: what existed then and still does is among them. */
  at: number;
  /** Whether that is all; otherwise a walk is under way that may find newer ones. */
  complete: boolean;
}

const named = (ctx: ReadContext, names: Iterable<string>): NamedVariable[] =>
  [...new Set(names)].sort().flatMap((name) => {
    const key = variableKey(ctx, name);
    return key ? [{ name, key }] : [];
  });

/**
 * The names of all variables without waiting for a walk that takes long: then those that the last one met, with those
 * changed through this console since. Names of what was deleted may be among them: the values tell.
 */
export const knownVariableNames = async (ctx: ReadContext): Promise<KnownNames> => {
  const askedAt = Date.now();
  const walk = walkOf(ctx, {});
  const { startedAt: at } = walk;
  const walked = walk.names.then((names) => ({ names, at, complete: true }));
  const soon = await Promise.race([walked, sleep(WALK_MS_OF_REQUEST, null)]);
  if (soon && at >= askedAt) return soon;
  const { id } = ctx.connection.config;
  const index = soon ? null : await readVariableIndex(ctx.store, id).catch(withoutStore(null));
  // Nothing is known of this connection yet.
  if (!soon && !index) return walked;
  const known = soon ? soon.names.map(({ name }) => name) : index!.names;
  const names = named(ctx, [...known, ...(await notedNames(ctx))]);
  // No value is read then that would tell of a server that is gone.
  if (names.length === 0) await ctx.reader.size();
  return { names, at: soon?.at ?? index!.at, complete: soon !== null };
};
