import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badInput } from '@/lib/errors';
import { type EntityDefinition, idGrammarOf } from '@/lib/keyspace/entities';
import { partsOf, refOf } from '@/lib/keyspace/entity-ids';
import type { Registry } from '@/lib/keyspace/registry';
import { keysExist, recordKeys, storedKeys } from './stored-keys';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** An entity as an operation named it. */
export interface ResolvedEntity {
  entity: EntityDefinition;
  /** As it is written everywhere: an unordered pair in order. */
  id: string;
  /** The sources of parameters: `id`, and the parts of a pair. */
  parts: ReadonlyMap<string, string>;
}

/** A kind as it must be written to be unique on this connection. */
export const uniqueKind = (catalog: Registry, entity: EntityDefinition): string =>
  catalog.entity(entity.kind) ? entity.kind : refOf(entity);

const noSuchKind = (catalog: Registry) => {
  const kinds = catalog.entities.map((entity) => uniqueKind(catalog, entity));
  const message =
    kinds.length === 0
      ? 'The catalog of this connection has no entities.'
      : `This is one of ${kinds.join(', ')}.`;
  return badInput([{ path: 'kind', message }]);
};

/** The definitions of a kind: one of each application that has it. Throws 400 where the catalog has none. */
export const definitionsOf = (catalog: Registry, kind: string): readonly EntityDefinition[] => {
  const found = catalog.entitiesOf(kind);
  if (found.length === 0) throw noSuchKind(catalog);
  return found;
};

/** The definition that a relation leads to: of the same application, unless a team's own catalog replaces it. */
export const targetOf = (
  catalog: Registry,
  { app }: EntityDefinition,
  kind: string | undefined,
): EntityDefinition | null =>
  kind === undefined ? null : (catalog.entity(`${app}.${kind}`) ?? catalog.entity(kind) ?? null);

/** What an id of this kind looks like. */
export const idHintOf = (entity: EntityDefinition): string => {
  const { pair } = entity;
  if (!pair) return idGrammarOf(entity).description;
  const parts = pair.names.map((name, i) => {
    const grammar = pair.grammars?.[i];
    return grammar ? `{${name}}, ${grammar.description}` : `{${name}}`;
  });
  return `${pair.names.map((name) => `{${name}}`).join(pair.separator)}: ${parts.join('; ')}`;
};

/** Of entities of several applications, the first that has a record, else the first that has any key. */
const storedOne = async (ctx: Context, found: readonly ResolvedEntity[]): Promise<ResolvedEntity> => {
  for (const keysOf of [recordKeys, storedKeys]) {
    const keys = found.map(({ entity, parts }) => keysOf(ctx.catalog, entity, parts));
    const exist = await keysExist(ctx, keys.flat());
    let at = 0;
    for (const [i, { length }] of keys.entries()) {
      if (exist.slice(at, at + length).includes(true)) return found[i]!;
      at += length;
    }
  }
  return found[0]!;
};

/**
 * The entity that a kind and an id name. Throws 400 for a kind that the catalog does not have, and for a text that cannot
 * be an id of it. Where several applications have the kind, it is the one that has the entity stored, else the first.
 */
export const resolveEntity = async (ctx: Context, kind: string, id: string): Promise<ResolvedEntity> => {
  const definitions = ctx.catalog.entitiesOf(kind);
  if (definitions.length === 0) throw noSuchKind(ctx.catalog);
  const found = definitions.flatMap((entity) => {
    const parts = partsOf(entity, id);
    return parts ? [{ entity, id: parts.get('id')!, parts }] : [];
  });
  if (found.length === 0) {
    const hints = [...new Set(definitions.map(idHintOf))];
    throw badInput([{ path: 'id', message: `This is ${hints.join(', or ')}.` }]);
  }
  return found.length === 1 ? found[0]! : storedOne(ctx, found);
};
