import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { accessOf } from '@/lib/key-values/value-access';
import { type EntityDefinition, idGrammarOf, type KeySource } from '@/lib/keyspace/entities';
import { canonicalId, idOfParts, partsOf } from '@/lib/keyspace/entity-ids';
import type { Registry } from '@/lib/keyspace/registry';
import { badCursor } from '@/lib/list-page';
import { jsonObject } from '@/lib/values/json-object';
import { textOf } from '@/lib/values/string-value';
import { type FoundEntity, type KeySearch, searchPage } from './key-search';
import { definitionsOf } from './kinds';
import { readTitles } from './references';
import { refsOfIds } from './refs';
import type { EntityRef, entityContracts } from './schema';
import { showNamePart } from './show';
import { keysExist, keysOf, memberSources, type NamedKey, namedParts, storedKeys } from './stored-keys';

/** Longer strings are not lookups. */
const MAX_LOOKUP_BYTES = 64 * 1024;

/** The keys to find entities of a kind by: their records or, without records, any of their keys. */
const searchSources = (entity: EntityDefinition): readonly KeySource[] =>
  entity.record?.keys ?? [
    ...(entity.conversation?.keys ?? []),
    ...memberSources(entity),
    ...(entity.keys ?? []),
  ];

const searchOf = (catalog: Registry, entity: EntityDefinition, source: KeySource): KeySearch | null => {
  const family = catalog.get(source.family);
  if (!family) return null;
  const keyOf = (id: string): NamedKey | null => {
    const parts = partsOf(entity, id);
    return (parts && keysOf(catalog, [source], parts)[0]) ?? null;
  };
  return {
    family,
    match: family.match(),
    idOf: (key) => {
      const params = family.parse(key);
      const parts = params && namedParts(source.params, params);
      const id = parts && idOfParts(entity, parts);
      // The other order of a pair is another source.
      return id && keyOf(id)?.key.equals(key) ? id : null;
    },
    keyOf,
  };
};

const searchesOf = (catalog: Registry, entity: EntityDefinition): KeySearch[] =>
  searchSources(entity).flatMap((source) => searchOf(catalog, entity, source) ?? []);

/** The id in a string under another name of an entity: the string itself, or a field of its JSON object. */
const lookedUp = async (ctx: ReadContext, entity: EntityDefinition, q: string): Promise<string[]> => {
  const { lookups = [], idField } = entity.record ?? {};
  const keys = lookups.flatMap(({ family, param }) =>
    keysOf(ctx.catalog, [{ family, params: { [param]: 'q' } }], new Map([['q', q]])).filter(
      (named) => !accessOf(ctx, named).hidden,
    ),
  );
  const values = await ctx.reader.getStrings(
    keys.map(({ key }) => key),
    MAX_LOOKUP_BYTES,
  );
  return values.flatMap((value) => {
    if (!value || value instanceof Error || value.bytes.length < value.length) return [];
    const named = (idField !== undefined && jsonObject(value)?.get(idField)) || value.bytes;
    const text = textOf(named);
    return (text && canonicalId(entity, text.trim())) || [];
  });
};

/** Whether a key of this id exists, or only its form distinguishes an id from a name. */
const isWorthListing = async (ctx: ReadContext, entity: EntityDefinition, id: string): Promise<boolean> => {
  if (!entity.pair && idGrammarOf(entity).ascii) return true;
  const exist = await keysExist(ctx, storedKeys(ctx.catalog, entity, partsOf(entity, id)!));
  return exist.some((exists) => exists !== false);
};

/**
 * Ids in the text itself, before anything is scanned: an id, and the ids of slugs. A numeric id is listed even if
 * nothing is stored for it; any other text may also be a name.
 */
const namedIds = async (ctx: ReadContext, entity: EntityDefinition, q: string): Promise<string[]> => {
  if (q === '') return [];
  const exact = canonicalId(entity, q);
  const others = await lookedUp(ctx, entity, q);
  const isListed = exact !== null && (await isWorthListing(ctx, entity, exact));
  return [...new Set([...(isListed ? [exact] : []), ...others])];
};

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether entities have a title containing a text, ignoring case; by their id where they have no titles. */
const matchTitles = async (
  ctx: ReadContext,
  { record }: EntityDefinition,
  found: readonly FoundEntity[],
  q: string,
): Promise<boolean[]> => {
  const wanted = folded(q);
  const fields = record?.title ?? [];
  if (wanted === '') return found.map(() => true);
  if (fields.length === 0) {
    const ids = await Promise.all(found.map(({ id }) => showNamePart(ctx.catalog, id)));
    return ids.map((id) => folded(id).includes(wanted));
  }
  const titles = await readTitles(ctx, found, fields);
  return titles.map((own) => own.some((title) => folded(title).includes(wanted)));
};

/** A cursor before the scan: the number of results already shown for the text itself. */
const NAMED = /^n(\d{1,3})$/;

type SearchPage = Result<typeof entityContracts.search>;

interface Search {
  q: string;
  cursor: string | undefined;
  limit: number;
}

const searchOne = async (
  ctx: ReadContext,
  entity: EntityDefinition,
  { q, cursor, limit }: Search,
): Promise<SearchPage> => {
  const [named, total] = await Promise.all([namedIds(ctx, entity, q), ctx.reader.size()]);
  const isScan = cursor?.startsWith('s') ?? false;
  const shown = cursor === undefined ? 0 : Number(NAMED.exec(cursor)?.[1] ?? Number.NaN);
  if (!isScan && Number.isNaN(shown)) throw badCursor();
  const first = isScan ? [] : named.slice(shown, shown + limit);
  const items = await refsOfIds(ctx, entity, first);
  if (items.length === limit) return { items, nextCursor: `n${shown + items.length}`, examined: 0, total };
  const page = await searchPage<EntityRef>(ctx, searchesOf(ctx.catalog, entity), {
    cursor: isScan ? cursor!.slice(1) : undefined,
    limit: limit - items.length,
    read: async (found) => {
      const match = await matchTitles(ctx, entity, found, q);
      const fitting = found.filter(({ id }, i) => match[i] && !named.includes(id));
      const refs = await refsOfIds(
        ctx,
        entity,
        fitting.map(({ id }) => id),
      );
      const byId = new Map(fitting.map(({ id }, i) => [id, refs[i]!]));
      return found.map(({ id }) => byId.get(id) ?? null);
    },
  });
  return {
    items: [...items, ...page.items],
    nextCursor: page.nextCursor === null ? null : `s${page.nextCursor}`,
    examined: page.examined,
    total,
  };
};

/** The index among the kinds with this name, and the cursor within it. */
const ofKind = (cursor: string | undefined, kinds: number): [number, string | undefined] => {
  if (cursor === undefined) return [0, undefined];
  const [, at, rest] = /^(\d{1,2})~(.*)$/s.exec(cursor) ?? [];
  if (at === undefined) return [0, cursor];
  if (Number(at) >= kinds) throw badCursor();
  return [Number(at), rest === '' ? undefined : rest];
};

const cursorOfKind = (at: number, rest: string): string => (at === 0 ? rest : `${at}~${rest}`);

/**
 * Entities of a kind: exact results for the text first, then those with it in their title, found by a scan; kinds of
 * several applications one after the other. Throws 400 for an unknown kind, and 410 for a cursor of another server
 * process.
 */
export const searchEntities = async (
  ctx: ReadContext,
  { kind, q = '', cursor, limit }: Input<typeof entityContracts.search>,
): Promise<SearchPage> => {
  const entities = definitionsOf(ctx.catalog, kind);
  const [from, within] = ofKind(cursor, entities.length);
  const items: EntityRef[] = [];
  let examined = 0;
  for (let at = from; ; at++) {
    const own = at === from ? within : undefined;
    const page = await searchOne(ctx, entities[at]!, { q, cursor: own, limit: limit - items.length });
    items.push(...page.items);
    examined += page.examined;
    const answer = { items, examined, total: page.total };
    if (page.nextCursor !== null) return { ...answer, nextCursor: cursorOfKind(at, page.nextCursor) };
    if (at + 1 === entities.length) return { ...answer, nextCursor: null };
    if (items.length === limit) return { ...answer, nextCursor: cursorOfKind(at + 1, '') };
  }
};
