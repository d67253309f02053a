import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { accessOf, type ValueAccess } from '@/lib/key-values/value-access';
import type { EntityDefinition, RelationDefinition } from '@/lib/keyspace/entities';
import { containsMany } from './contains';
import { targetOf } from './kinds';
import { readShapes, type Shape } from './members';
import type { Subject } from './record';
import { countIn } from './stored-fields';
import { keysOf, type NamedKey } from './stored-keys';

/** A relation of an entity, or one source of it. */
export interface RelationRow {
  /** The relation's id; with several sources followed by `.n`. */
  relation: string;
  definition: RelationDefinition;
  target: EntityDefinition | null;
  /** Null for a field, a part of the id, and elements found by scanning. */
  source: (NamedKey & { shape: Shape; access: ValueAccess }) | null;
  count: number | null;
}

/** A relation's source and its position among all sources, before it is read. */
interface Place {
  relation: string;
  definition: RelationDefinition;
  named: NamedKey;
}

const nameOf = ({ id }: RelationDefinition, place: number): string =>
  place === 0 ? id : `${id}.${place + 1}`;

/** The sources of a relation whose parameters are known. A pair of equal parts in both orders is one. */
const placesOf = (ctx: ReadContext, { parts }: Subject, definition: RelationDefinition): Place[] => {
  const { from } = definition;
  const sources = 'members' in from ? from.members : 'memberOf' in from ? [from.memberOf] : [];
  const seen = new Set<string>();
  return sources.flatMap((source, place) => {
    const [named] = keysOf(ctx.catalog, [source], parts);
    const id = named?.key.toString('latin1');
    if (!named || id === undefined || seen.has(id)) return [];
    seen.add(id);
    return [{ relation: nameOf(definition, place), definition, named }];
  });
};

const valueCount = ({ record, parts }: Subject, { from }: RelationDefinition): number | null => {
  if ('field' in from) return (record?.values.get(from.field)?.length ?? 0) > 0 ? 1 : 0;
  if ('parts' in from) return new Set(from.parts.map((name) => parts.get(name))).size;
  return 'keys' in from ? null : 0;
};

/** Whether the entity is a member, as a number. */
const membership = async (
  ctx: ReadContext,
  { id }: Subject,
  named: NamedKey & { access: ValueAccess },
): Promise<number | null> => {
  if (named.access.hidden) return null;
  const [found] = await containsMany(ctx, [{ key: named.key, member: id }]);
  return found === 'unknown' ? null : found === 'yes' ? 1 : 0;
};

/**
 * The relations of an entity, in the order of the catalog: one row per existing source, and one for a relation without
 * any. `only`: limits it to this relation.
 */
export const relationRows = async (
  ctx: ReadContext,
  subject: Subject,
  only?: string,
): Promise<RelationRow[]> => {
  const { entity } = subject;
  const definitions = (entity.relations ?? []).filter(({ id }) => only === undefined || only === id);
  const places = definitions.map((definition) => placesOf(ctx, subject, definition));
  const keys = places.flat().map(({ named }) => named.key);
  const shapes = await readShapes(ctx, keys);
  const read = new Map(
    places.flat().map((place, i) => {
      const shape = shapes[i]!;
      return [place, { ...place.named, shape, access: accessOf(ctx, place.named) }] as const;
    }),
  );
  const rows: RelationRow[] = [];
  for (const [i, definition] of definitions.entries()) {
    const target = targetOf(ctx.catalog, entity, definition.kind);
    const own = places[i]!;
    const stored = own.filter((place) => read.get(place)!.shape.type !== 'none');
    const shown = stored.length > 0 ? stored : own.slice(0, 1);
    for (const place of shown) {
      const source = read.get(place)!;
      const relation = stored.length > 0 ? place.relation : definition.id;
      const isMembership = 'memberOf' in definition.from;
      const count = isMembership ? await membership(ctx, subject, source) : source.shape.count;
      rows.push({ relation, definition, target, source, count });
    }
    if (shown.length === 0) {
      const count = valueCount(subject, definition);
      rows.push({ relation: definition.id, definition, target, source: null, count });
    }
  }
  return rows;
};

/** The number of a relation's elements by the record. */
export const countedBy = ({ record }: Subject, { countField }: RelationDefinition): number | null =>
  record?.access.hidden ? null : countIn(record?.values, countField);
