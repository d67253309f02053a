import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { EntityDefinition, KeySource, RelationDefinition } from '@/lib/keyspace/entities';
import { idOfParts, partsOf } from '@/lib/keyspace/entity-ids';
import type { Family, Params } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import { scanPatterns } from '@/lib/redis/scan';
import { walkWithRestart } from '@/lib/redis/server-process';
import type { KeySearch } from './key-search';
import type { Subject } from './record';
import type { RelationRow } from './relation-rows';
import { keysOf, type NamedKey, namedParts } from './stored-keys';

type FoundKeys = Extract<RelationDefinition['from'], { keys: unknown }>['keys'][number];

/** Multiplies the budget's chunk: reading only names is cheap for the server. */
const TIMES = 10;

/** The parameters given by the entity's own parts. */
const fixedParams = (source: KeySource, parts: ReadonlyMap<string, string>): Params | null => {
  const params: Params = {};
  for (const [param, name] of Object.entries(source.params)) {
    const value = parts.get(name);
    if (value === undefined) return null;
    params[param] = value;
  }
  return params;
};

/** The glob; null where a part cannot occur in such a key. */
const globOf = (family: Family, params: Params): string | null => {
  try {
    return family.match(params);
  } catch {
    return null;
  }
};

/** The parts of an id; for an unordered pair, in both orders. */
const waysRound = (target: EntityDefinition, id: string): ReadonlyMap<string, string>[] => {
  const parts = partsOf(target, id);
  if (!parts) return [];
  const { pair } = target;
  if (!pair?.unordered) return [parts];
  const [a, b] = pair.names;
  return [parts, new Map([...parts, [a, parts.get(b)!], [b, parts.get(a)!]])];
};

const searchOf = (
  catalog: Registry,
  { parts }: Subject,
  target: EntityDefinition,
  source: FoundKeys,
): KeySearch | null => {
  const family = catalog.get(source.family);
  const fixed = fixedParams(source, parts);
  const match = family && fixed && globOf(family, fixed);
  if (!family || !fixed || !match) return null;
  const isFixed = (params: Params) => Object.entries(fixed).every(([name, value]) => params[name] === value);
  return {
    family,
    match,
    idOf: (key: Key) => {
      const params = family.parse(key);
      const named = params && isFixed(params) ? namedParts(source.names, params) : null;
      return named && idOfParts(target, named);
    },
    keyOf: (id: string): NamedKey | null => {
      for (const theirs of waysRound(target, id)) {
        const named = Object.entries(source.names).map(
          ([param, name]) => [param, theirs.get(name)!] as const,
        );
        const params = { ...fixed, ...Object.fromEntries(named) };
        if (!isFixed(params)) continue;
        const names = Object.keys(params).map((name) => [name, name] as const);
        const own = { family: family.id, params: Object.fromEntries(names) };
        const [key] = keysOf(catalog, [own], new Map(Object.entries(params)));
        if (key) return key;
      }
      return null;
    },
  };
};

/** How the entities of a relation are found by their keys; empty for other relations. */
export const searchesOf = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  subject: Subject,
  { definition: { from }, target }: RelationRow,
): KeySearch[] =>
  'keys' in from && target
    ? from.keys.flatMap((source) => searchOf(catalog, subject, target, source) ?? [])
    : [];

/**
 * The ids of relations found by scanning, by relation, sorted: one scan for all. Null where it takes longer than
 * `withinMs`, because it may wait for other scans of the server.
 */
export const scanRelations = async (
  ctx: ReadContext,
  subject: Subject,
  rows: readonly RelationRow[],
  withinMs = Infinity,
): Promise<ReadonlyMap<string, string[]> | null> => {
  const searches = rows.flatMap((row) =>
    searchesOf(ctx, subject, row).map((search) => ({ ...search, relation: row.relation })),
  );
  const idsByRelation = new Map<string, Set<string>>(rows.map(({ relation }) => [relation, new Set()]));
  const patterns = [...new Set(searches.map(({ match }) => match))];
  const add = (key: Key): void => {
    const family = ctx.catalog.locate(key).family?.id;
    for (const { relation, family: own, idOf } of searches) {
      const id = own.id === family ? idOf(key) : null;
      if (id !== null) idsByRelation.get(relation)!.add(id);
    }
  };
  const until = performance.now() + withinMs;
  const walk = () => scanPatterns(ctx.connection, patterns, { times: TIMES, signal: ctx.signal });
  const restarted = () => {
    for (const ids of idsByRelation.values()) ids.clear();
  };
  const walked = patterns.length > 0 ? walkWithRestart(ctx.connection, walk, { restarted }) : [];
  for await (const { keys, share } of walked) {
    for (const key of keys) add(key);
    ctx.signal?.throwIfAborted();
    if (share < 1 && performance.now() > until) return null;
  }
  return new Map([...idsByRelation].map(([relation, ids]) => [relation, [...ids].sort()]));
};
