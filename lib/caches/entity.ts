import 'server-only';
import { z } from 'zod';
import { bytesEqualAt } from '@/lib/catalog/bytes';
import type { Family } from '@/lib/catalog/family';
import type { Registry } from '@/lib/catalog/registry';
import { type InvalidationBranch, invalidationTargets, type Lookup } from '@/lib/catalog/rules';
import type { ReadContext } from '@/lib/command/context';
import { badInput } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { parseStored } from '@/lib/stored-json';
import { familySearch } from './family-search';
import { isOwn } from './guarded';
import type { InvalidationTarget } from './schema';
import type { Branch, Search } from './target';

type Entity = NonNullable<InvalidationTarget['entity']>;

/** All keys under a prefix that the application deletes, of any family. */
const prefixSearch = (catalog: Registry, prefix: string): Search => {
  const bytes = Buffer.from(prefix);
  const begins = (key: Key) => key.length >= bytes.length && bytesEqualAt(key, 0, bytes);
  return { match: `${prefix}*`, accepts: (key) => begins(key) && !isOwn(catalog, key) };
};

const keysOrSearch = (
  catalog: Registry,
  { target }: InvalidationBranch,
): Pick<Branch, 'keys' | 'search' | 'known'> => {
  if (target === null) return { keys: [], search: null, known: false };
  if ('prefix' in target) return { keys: [], search: prefixSearch(catalog, target.prefix), known: true };
  const family = catalog.mustGet(target.family);
  const params = Object.fromEntries(
    Object.entries(target.params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const isOneKey = family.paramNames.every((name) => Object.hasOwn(params, name));
  // A slug that is not valid in a key gives no key.
  if (isOneKey) return { keys: keyOf(family, params), search: null, known: true };
  return { keys: [], search: familySearch(catalog, family, params), known: true };
};

const keyOf = (family: Family, params: Record<string, string>): Buffer[] => {
  try {
    return [family.key(params)];
  } catch {
    return [];
  }
};

/** The application's invalidation rule for this entity, as branches. Throws 400 for an unknown entity or branch. */
export const entityBranches = (catalog: Registry, entity: Entity): Branch[] => {
  const { kind, id, branches: wanted, ...facts } = entity;
  const rule = invalidationTargets(kind, id, facts);
  const app = rule.map(({ target, lookup }) =>
    target && 'family' in target ? target.family : lookup?.family,
  );
  if (app.some((family) => family !== undefined && !catalog.get(family)))
    throw badInput([{ path: 'entity', message: 'No application of this connection has such entities.' }]);
  const ids = new Set(rule.map((branch) => branch.id));
  const unknown = wanted?.findIndex((name) => !ids.has(name)) ?? -1;
  if (unknown >= 0)
    throw badInput([{ path: `entity.branches[${unknown}]`, message: 'The entity has no such branch.' }]);
  return rule.map((branch) => ({
    id: branch.id,
    title: branch.title,
    included: wanted?.includes(branch.id) ?? true,
    wider: branch.wider ?? false,
    ...keysOrSearch(catalog, branch),
  }));
};

const MAX_VALUE_BYTES = 256 * 1024;

/** A text field of the JSON object in a key; null when it is missing or not text. */
const fieldOf = async (ctx: ReadContext, { family, params, field }: Lookup): Promise<string | null> => {
  const value = await ctx.reader
    .getString(ctx.catalog.mustGet(family).key(params), MAX_VALUE_BYTES)
    .catch((error) => {
      if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return null;
      throw error;
    });
  const found = parseStored(z.record(z.string(), z.unknown()), value?.bytes.toString('utf8'))?.[field];
  return typeof found === 'string' && found !== '' && found.length <= 300 ? found : null;
};

/** Adds what can be looked up about the entity: an author's slug is in the author's key. */
export const withEntityFacts = async (
  ctx: ReadContext,
  input: InvalidationTarget,
): Promise<InvalidationTarget> => {
  const { entity } = input;
  if (!entity || entity.slug !== undefined) return input;
  const lookup = invalidationTargets(entity.kind, entity.id).find((branch) => branch.lookup)?.lookup;
  if (!lookup || !ctx.catalog.get(lookup.family)) return input;
  const slug = await fieldOf(ctx, lookup);
  return slug === null ? input : { ...input, entity: { ...entity, slug } };
};
