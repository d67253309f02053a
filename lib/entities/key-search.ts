import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { scanPage } from '@/lib/key-values/scan-page';
import type { Family } from '@/lib/keyspace/family';
import { badCursor } from '@/lib/list-page';
import type { Key } from '@/lib/redis/commands';
import { keysExist, keysExistOfEach, type NamedKey } from './stored-keys';

/** Keys of one family that contain entities of one kind. */
export interface KeySearch {
  family: Family;
  /** A glob that may also match other keys. */
  match: string;
  /** The entity in a key of the family; null for other keys. */
  idOf(key: Key): string | null;
  keyOf(id: string): NamedKey | null;
}

export interface FoundEntity extends NamedKey {
  id: string;
}

interface Found extends FoundEntity {
  /** Keys of the same entity in earlier searches. */
  earlier: NamedKey[];
}

interface PageRequest<T> {
  cursor: string | undefined;
  limit: number;
  /** The row of each entity, in order; null for one that a filter excludes. */
  read(found: readonly FoundEntity[]): Promise<(T | null)[]>;
}

interface FoundPage<T> {
  items: T[];
  nextCursor: string | null;
  /** Number of examined keys, in the units of the database's size. */
  examined: number;
}

/** Searches grouped by family: one scan serves several. */
const groupsOf = (searches: readonly KeySearch[]): KeySearch[][] => {
  const groups = new Map<string, KeySearch[]>();
  for (const search of searches) {
    const id = `${search.family.id} ${search.match}`;
    groups.set(id, [...(groups.get(id) ?? []), search]);
  }
  return [...groups.values()];
};

const placeIn = (cursor: string | undefined, groups: number): [number, string | undefined] => {
  if (cursor === undefined) return [0, undefined];
  const [, group, at] = /^(\d{1,2})\.(.*)$/s.exec(cursor) ?? [];
  if (group === undefined || Number(group) >= groups) throw badCursor();
  return [Number(group), at === '' ? undefined : at];
};

const foundBy = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  searches: readonly KeySearch[],
  group: readonly KeySearch[],
  key: Key,
): Found | null => {
  const { family } = catalog.locate(key);
  for (const search of group) {
    const id = family?.id === search.family.id ? search.idOf(key) : null;
    if (id === null) continue;
    const earlier = searches.slice(0, searches.indexOf(search)).flatMap(({ keyOf }) => keyOf(id) ?? []);
    return { key, family: search.family, id, earlier };
  }
  return null;
};

/** Entities whose keys belong to their family, also where the name is ambiguous, and that no earlier search finds. */
const firstOnes = async (
  ctx: Pick<ReadContext, 'catalog' | 'reader'>,
  found: readonly Found[],
  { family }: KeySearch,
): Promise<Found[]> => {
  const [settled, exist] = await Promise.all([
    family.identifyingFields ? keysExist(ctx, found) : [],
    keysExistOfEach(
      ctx,
      found.map(({ earlier }) => earlier),
    ),
  ]);
  return found.filter((_, i) => settled[i] !== false && !exist[i]!.includes(true));
};

/** A page of the entities in key names, by scanning: each entity once, by its first existing key. */
export const searchPage = async <T>(
  ctx: ReadContext,
  searches: readonly KeySearch[],
  { cursor, limit, read }: PageRequest<T>,
): Promise<FoundPage<T>> => {
  const groups = groupsOf(searches);
  if (groups.length === 0) return { items: [], nextCursor: null, examined: 0 };
  const [place, at] = placeIn(cursor, groups.length);
  const group = groups[place]!;
  const [search] = group as [KeySearch, ...KeySearch[]];
  const page = await scanPage<Found, T>(ctx.connection, {
    cursor: at,
    limit,
    glob: Buffer.from(search.match),
    reads: true,
    select: (keys) =>
      firstOnes(
        ctx,
        keys.flatMap((key) => foundBy(ctx, searches, group, key) ?? []),
        search,
      ),
    read,
  });
  const isOver = page.nextCursor === null && place + 1 === groups.length;
  const next = page.nextCursor === null ? `${place + 1}.` : `${place}.${page.nextCursor}`;
  return {
    items: page.items,
    nextCursor: isOver ? null : next,
    // Each group scans the complete database.
    examined: Math.round(page.examined / groups.length),
  };
};
