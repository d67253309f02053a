import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { keyNamed, type NamedFamily, type NamedKey, type WalkOptions, walkOf } from './named-keys';

/** The variables of a connection. 404 where no family of its catalog has the role. */
export const variableFamily = (ctx: Pick<ReadContext, 'catalog' | 'connection'>): Family => {
  const family = ctx.catalog.role('variable');
  if (!family) throw notFound(`An environment variable on connection "${ctx.connection.config.id}"`);
  return family;
};

export const namedVariables = (ctx: Pick<ReadContext, 'catalog' | 'connection'>): NamedFamily => ({
  family: variableFamily(ctx),
  index: 'variable',
});

/** A variable's key; null for a name that no variable can have, also if the catalog assigns the key to another family. */
export const variableKey = (ctx: ReadContext, name: string): Key | null =>
  keyNamed(ctx, variableFamily(ctx), name);

/** Names and keys of all variables, sorted, as `walkOf` finds them. */
export const variableNames = (ctx: ReadContext, options: WalkOptions = {}): Promise<NamedKey[]> =>
  walkOf(ctx, namedVariables(ctx), options).names;
