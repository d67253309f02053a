import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import { displayKey } from '@/lib/keyspace/display';
import { type EntityDefinition, sourcesOf } from '@/lib/keyspace/entities';
import { MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import { withoutPermission } from '@/lib/redis/failure';
import { belongingKeys } from './belonging-keys';
import { readDamage } from './damage';
import { readSubject, recordProblems, type Subject } from './record';
import { readRecordFields } from './record-fields';
import { MAX_SCANNED_KEYS, pageOfIds, relationPage } from './relation';
import { countedBy, type RelationRow, relationRows } from './relation-rows';
import { scanRelations } from './scanned';
import type { EntityRef, EntityView, entityContracts, RelationView } from './schema';

const FIRST = 20;
/**
 * Waiting time for the scan of a small database, which may be delayed by other scans or a busy machine: after it,
 * relations found by keys are loaded separately. Larger databases are not scanned here.
 */
const SCAN_MS = 1000;

type First = Pick<RelationView, 'first' | 'nextCursor' | 'count'>;

const isScanned = ({ definition: { from } }: RelationRow): boolean => 'keys' in from;

/** The results of a scan, where the database is small enough to scan while an entity is opened. */
const scanSmall = async (
  ctx: ReadContext,
  subject: Subject,
  rows: readonly RelationRow[],
): Promise<ReadonlyMap<string, string[]> | null> => {
  if (rows.length === 0 || (await ctx.reader.size()) > MAX_SCANNED_KEYS) return null;
  return scanRelations(ctx, subject, rows, SCAN_MS);
};

const firstOf = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  scanned: ReadonlyMap<string, string[]> | null,
): Promise<First> => {
  if (isScanned(row)) {
    const ids = scanned?.get(row.relation);
    if (!ids) return { first: [], nextCursor: null, count: null };
    const { items, nextCursor } = await pageOfIds(ctx, subject, row, ids, { limit: FIRST });
    return { first: items, nextCursor, count: ids.length };
  }
  const { items, nextCursor, count } = await relationPage(ctx, subject, row, { limit: FIRST });
  return { first: items, nextCursor, count };
};

const UNREADABLE: First = { first: [], nextCursor: null, count: null };

const problemOf = (row: RelationRow, { count }: First, counted: number | null): RelationView['problem'] => {
  const { source } = row;
  if (source?.shape.fault) return source.shape.fault;
  const isStored = source !== null && source.shape.type !== 'none';
  return isStored && count !== null && counted !== null && count < counted ? 'partial' : null;
};

const viewOf = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  scanned: ReadonlyMap<string, string[]> | null,
): Promise<RelationView> => {
  const { relation, definition, target, source } = row;
  const counted = countedBy(subject, definition);
  const first = await firstOf(ctx, subject, row, scanned).catch(withoutPermission(UNREADABLE));
  return {
    relation,
    title: definition.title,
    counted,
    scanned: isScanned(row),
    family: source?.family.id ?? sourcesOf(definition)[0]?.family ?? null,
    keyId: source && keyIdOf(ctx, source.key),
    key: source && displayKey(source.key, ctx.catalog),
    kind: target?.kind ?? null,
    app: target?.app ?? null,
    type: source && source.shape.type !== 'none' ? source.shape.type : null,
    problem: first === UNREADABLE ? 'unreadable' : problemOf(row, first, counted),
    ...first,
  };
};

/** The fields that refer to another entity, by name. */
const refsOfFields = (
  rows: readonly RelationRow[],
  views: readonly RelationView[],
): ReadonlyMap<string, EntityRef> =>
  new Map(
    rows.flatMap(({ definition: { from } }, i) => {
      const [ref] = views[i]!.first;
      return 'field' in from && ref ? [[from.field, ref] as const] : [];
    }),
  );

/** Whether sessions are indexed by the record's id. */
const hasSessions = (catalog: Registry, { record }: EntityDefinition): boolean =>
  (record?.keys ?? []).some(({ family, params }) =>
    (catalog.get(family)?.related ?? []).some(
      (related) =>
        catalog.get(related.family)?.role === 'session-index' &&
        Object.values(related.params).every((param) => params[param] === 'id'),
    ),
  );

/** Whether it is in the presence set of the catalog; null without such a set. */
const onlineOf = (catalog: Registry, rows: readonly RelationRow[]): boolean | null => {
  const presence = new Set(catalog.withRole('presence').map(({ id }) => id));
  const row = rows.find(
    ({ definition: { from } }) => 'memberOf' in from && presence.has(from.memberOf.family),
  );
  return row?.count == null ? null : row.count > 0;
};

/**
 * An entity: its record, its keys and relations, and their damage. An entity that is not stored is also an answer.
 * Throws 400 for an unknown kind, and for a text that cannot be an id of the kind.
 */
export const getEntity: ReadOf<typeof entityContracts.get> = async (ctx, input) => {
  const subject = await readSubject(ctx, input.kind, input.id);
  const { entity, id, record } = subject;
  const rows = await relationRows(ctx, subject);
  const [own, keys, damage, views] = await Promise.all([
    record ? readRecordFields(ctx, entity, record) : { fields: [], moreFields: false },
    belongingKeys(ctx, subject),
    readDamage(ctx, subject, rows),
    scanSmall(ctx, subject, rows.filter(isScanned)).then((scanned) =>
      Promise.all(rows.map((row) => viewOf(ctx, subject, row, scanned))),
    ),
  ]);
  const refs = refsOfFields(rows, views);
  const fields: EntityView['fields'] = own.fields.map((field) => {
    const ref = refs.get(field.name) ?? null;
    return { ...field, ...(ref?.id === MASK && { value: null, masked: true }), ref };
  });
  const titles = entity.record?.title ?? [];
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    kind: entity.kind,
    app: entity.app,
    id,
    title: titles.map((name) => byName.get(name)?.value).find((value) => value) ?? null,
    exists: entity.record ? record !== null : keys.some(({ exists }) => exists),
    record: Object.fromEntries(fields.map(({ name, value }) => [name, value ?? MASK])),
    fields,
    moreFields: own.moreFields,
    recordKey: record && {
      family: record.family.id,
      key: displayKey(record.key, ctx.catalog),
      keyId: keyIdOf(ctx, record.key),
    },
    problems: recordProblems(subject),
    relations: views,
    ...damage,
    keys,
    online: onlineOf(ctx.catalog, rows),
    conversation: entity.conversation !== undefined,
    sessions: hasSessions(ctx.catalog, entity),
    invalidates: entity.branches.map((branch) => branch.id),
  };
};
