import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { accessOf, type ValueAccess } from '@/lib/key-values/value-access';
import { ALIAS, type EntityDefinition, ID_FACT } from '@/lib/keyspace/entities';
import { canonicalId } from '@/lib/keyspace/entity-ids';
import { textOf, UNREADABLE } from '@/lib/values/string-value';
import { aliasOf } from './aliases';
import { type ResolvedEntity, resolveEntity } from './kinds';
import type { EntityView } from './schema';
import { readRecordValues } from './stored-fields';
import type { NamedKey } from './stored-keys';

export interface StoredRecord extends NamedKey {
  type: string;
  access: ValueAccess;
  /** The fields in the catalog, as stored: never show them without `access`. */
  values: ReadonlyMap<string, Buffer>;
  fault: 'wrongType' | 'unreadable' | null;
}

/** An entity given as input of an operation, with its record. */
export interface Subject extends ResolvedEntity {
  record: StoredRecord | null;
}

/** The fields of a record used by the catalog. */
const namedFields = ({ record, relations = [] }: EntityDefinition): string[] => {
  const { idField, title = [], alias, lookups = [] } = record ?? {};
  const ofRelations = relations.flatMap(({ from, countField }) => [
    ...('field' in from ? [from.field] : []),
    ...(countField === undefined ? [] : [countField]),
  ]);
  const own = [
    ...(idField === undefined ? [] : [idField]),
    ...title,
    ...(alias?.fields ?? []),
    ...lookups.map(({ param }) => param),
  ];
  return [...new Set([...own, ...ofRelations])];
};

const readRecord = async (ctx: ReadContext, { entity, id }: ResolvedEntity): Promise<StoredRecord | null> => {
  const [stored] = await readRecordValues(ctx, [{ entity, id, fields: namedFields(entity) }]);
  return stored ? { ...stored, type: stored.type ?? UNREADABLE, access: accessOf(ctx, stored) } : null;
};

/** The entity of a kind and an id, with its record. Throws 400 like `resolveEntity`. */
export const readSubject = async (ctx: ReadContext, kind: string, id: string): Promise<Subject> => {
  const resolved = await resolveEntity(ctx, kind, id);
  const record = await readRecord(ctx, resolved);
  const alias = record && aliasOf(resolved.entity, record.values);
  const parts = alias === null ? resolved.parts : new Map([...resolved.parts, [ALIAS, alias]]);
  return { ...resolved, parts, record };
};

/** What is wrong with a record: it is read as far as possible. */
export const recordProblems = ({ entity, parts, record }: Subject): EntityView['problems'] => {
  if (!record) return [];
  const { family, type, fault, values } = record;
  const problems: EntityView['problems'] = [];
  const isDocumented = [family.type, ...(family.otherTypes ?? [])].some((documented) => documented === type);
  if (fault === 'unreadable') problems.push({ what: 'unreadable', detail: null });
  else if (fault === 'wrongType' || !isDocumented) problems.push({ what: 'wrongType', detail: type });
  const { idField } = entity.record ?? {};
  if (fault !== null || idField === undefined) return problems;
  const stored = values.get(idField);
  const text = stored && textOf(stored);
  if (stored === undefined) problems.push({ what: 'idMissing', detail: idField });
  else if (text == null || canonicalId(entity, text) !== parts.get(ID_FACT))
    problems.push({ what: 'idDiffers', detail: idField });
  return problems;
};
