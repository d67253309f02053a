import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField } from '@/lib/errors';
import { type EntityDefinition, idGrammarOf } from '@/lib/keyspace/entities';
import { partsOf, refOf } from '@/lib/keyspace/entity-ids';
import type { Registry } from '@/lib/keyspace/registry';
import { keysExistOfEach, recordKeys, storedKeys } from './stored-keys';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** An entity given as input of an operation. */
export interface ResolvedEntity {
  entity: EntityDefinition;
  /** In canonical form: an unordered pair is sorted. */
  id: string;
  /** Values of parameters: `id`, and the parts of a pair. */
  parts: ReadonlyMap<string, string>;
}

/** The unique name of a kind on this connection. */
export const uniqueKind = (catalog: Registry, entity: EntityDefinition): string =>
  catalog.entity(entity.kind) ? entity.kind : refOf(entity);

const noSuchKind = (catalog: Registry) => {
  const kinds = catalog.entities.map((entity) => uniqueKind(catalog, entity));
  const message =
    kinds.length === 0
      ? 'The catalog of this connection has no entities.'
      : `This is one of ${kinds.join(', ')}.`;
  return badField('kind', message);
};

/** The definitions of a kind: one per application that has it. Throws 400 where the catalog has none. */
export const definitionsOf = (catalog: Registry, kind: string): readonly EntityDefinition[] => {
  const definitions = catalog.entitiesOf(kind);
  if (definitions.length === 0) throw noSuchKind(catalog);
  return definitions;
};

/** The target definition of a relation: the same application's, unless a team's own catalog replaces it. */
export const targetOf = (
  catalog: Registry,
  { app }: EntityDefinition,
  kind: string | undefined,
): EntityDefinition | null =>
  kind === undefined ? null : (catalog.entity(`${app}.${kind}`) ?? catalog.entity(kind) ?? null);

/** An example of an id of this kind. */
export const idHintOf = (entity: EntityDefinition): string => {
  const { pair } = entity;
  if (!pair) return idGrammarOf(entity).description;
  const parts = pair.names.map((name, i) => {
    const grammar = pair.grammars?.[i];
    return grammar ? `{${name}}, ${grammar.description}` : `{${name}}`;
  });
  return `${pair.names.map((name) => `{${name}}`).join(pair.separator)}: ${parts.join('; ')}`;
};

/** Among entities of several applications, the first with a record, otherwise the first with any key. */
const storedOne = async (ctx: Context, found: readonly ResolvedEntity[]): Promise<ResolvedEntity> => {
  for (const keysOf of [recordKeys, storedKeys]) {
    const keys = found.map(({ entity, parts }) => keysOf(ctx.catalog, entity, parts));
    const exist = await keysExistOfEach(ctx, keys);
    const first = exist.findIndex((own) => own.includes(true));
    if (first >= 0) return found[first]!;
  }
  return found[0]!;
};

/**
 * The entity of a kind and an id. Throws 400 for an unknown kind, and for a text that cannot be an id of the kind.
 * Where several applications have the kind, it is the one that stores the entity, otherwise the first.
 */
export const resolveEntity = async (ctx: Context, kind: string, id: string): Promise<ResolvedEntity> => {
  const definitions = ctx.catalog.entitiesOf(kind);
  if (definitions.length === 0) throw noSuchKind(ctx.catalog);
  const resolved = definitions.flatMap((entity) => {
    const parts = partsOf(entity, id);
    return parts ? [{ entity, id: parts.get('id')!, parts }] : [];
  });
  if (resolved.length === 0) {
    const hints = [...new Set(definitions.map(idHintOf))];
    throw badField('id', `This is ${hints.join(', or ')}.`);
  }
  return resolved.length === 1 ? resolved[0]! : storedOne(ctx, resolved);
};
