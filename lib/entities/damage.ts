import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import { cutOf } from '@/lib/key-values/etag';
import { displayKey } from '@/lib/keyspace/display';
import type { EntityDefinition, RelationDefinition } from '@/lib/keyspace/entities';
import { MASK } from '@/lib/keyspace/mask';
import { lackingSide, leadBack } from './lead-back';
import type { Subject } from './record';
import { existsMany, readRefs } from './references';
import { decodingBudget, type Element, idOf } from './refs';
import type { RelationRow } from './relation-rows';
import { rowElements } from './row-elements';
import type { DanglingRef, EntityView, OneSidedRef } from './schema';
import { isHiddenFamily, showMember, showReference } from './show';

type Damage = Pick<EntityView, 'dangling' | 'oneSided' | 'checked'>;

/** Maximum number of elements checked when an entity is opened: per relation, and in total. A job checks all. */
const MAX_CHECKED = 500;
const MAX_CHECKED_TOGETHER = 1000;
/** Maximum number of one-sided references with titles. */
const MAX_TITLES = 50;

/** Relations whose elements are members of keys, or a field of the record. */
const isChecked = ({ definition: { from }, target }: RelationRow): boolean =>
  target !== null && ('members' in from || 'field' in from);

/** The key that holds the elements: the relation's or, for a field, the record's. */
const holderOf = ({ record }: Subject, { source }: RelationRow) => source ?? record;

const danglingRefs = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  found: readonly { element: Element; why: DanglingRef['why'] }[],
): Promise<DanglingRef[]> => {
  const holder = holderOf(subject, row);
  if (!holder) return [];
  const { key, family, access } = holder;
  const options = { catalog: ctx.catalog, access, decoding: decodingBudget() };
  const holding = { family: family.id, key: displayKey(key, ctx.catalog), keyId: keyIdOf(ctx, key) };
  const refs: DanglingRef[] = [];
  const { from } = row.definition;
  const field = 'field' in from ? from.field : null;
  for (const { element, why } of found) {
    const { value } = await showReference(element.cut, { isId: why !== 'notAnId', field }, options);
    refs.push({ relation: row.relation, ...holding, member: value ?? MASK, why });
  }
  return refs;
};

/** Whether this caller may see the opposite relation's values. */
const isInverseShown = (ctx: ReadContext, target: EntityDefinition, { from }: RelationDefinition): boolean =>
  ('members' in from ? from.members : (target.record?.keys ?? [])).every(
    ({ family }) => !isHiddenFamily(ctx, ctx.catalog.mustGet(family)),
  );

const oneSidedRefs = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  ids: readonly string[],
): Promise<OneSidedRef[]> => {
  const { relation, definition, target } = row;
  const inverse = target?.relations?.find(({ id }) => id === definition.inverse);
  const holder = holderOf(subject, row);
  if (!target || !inverse || !holder || ids.length === 0) return [];
  if (!isInverseShown(ctx, target, inverse)) return [];
  const { entity: owner, id: ownerId } = subject;
  const answers = await leadBack(
    ctx,
    ids.map((id) => ({ target, id, inverse, owner, ownerId })),
  );
  const lacking = ids.flatMap((id, i) => {
    const side = lackingSide(answers[i]!);
    return side ? [{ id, ...side }] : [];
  });
  const titled = lacking.slice(0, MAX_TITLES).map(({ id }) => id);
  const titles = await readRefs(ctx, target, titled);
  const { kind, app } = target;
  const options = { catalog: ctx.catalog, access: holder.access, decoding: decodingBudget() };
  const refs: OneSidedRef[] = [];
  for (const [i, { id, stored }] of lacking.entries()) {
    const { value, masked } = await showMember(cutOf(Buffer.from(id)), options);
    const title = masked ? null : (titles[i]?.title ?? null);
    refs.push({ relation, kind, app, id: value ?? MASK, stored, title, lacks: inverse.id });
  }
  return refs;
};

const ofRow = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  limit: number,
): Promise<Damage> => {
  const { elements, next } = await rowElements(ctx, subject, row, { limit });
  const { target } = row;
  const ids = elements.map(({ cut }) => idOf(target, cut));
  const known = [...new Set(ids.filter((id) => typeof id === 'string'))];
  const exist = await existsMany(ctx, target!, known);
  const existing = new Map(known.map((id, i) => [id, exist[i]]));
  const whyBroken = (id: string | null | undefined): DanglingRef['why'] | null => {
    if (id === null) return 'notAnId';
    return id !== undefined && existing.get(id) === false ? 'missing' : null;
  };
  const broken = elements.flatMap((element, i) => {
    const why = whyBroken(ids[i]);
    return why ? [{ element, why }] : [];
  });
  // A duplicate counts twice, as in a check by a job.
  const stored = ids.flatMap((id) => (typeof id === 'string' && existing.get(id) ? [id] : []));
  const [dangling, oneSided] = await Promise.all([
    danglingRefs(ctx, subject, row, broken),
    oneSidedRefs(ctx, subject, row, stored),
  ]);
  return { dangling, oneSided, checked: { references: elements.length, complete: next === null } };
};

/** Damage among the first elements of each relation: dangling references, and one-sided relations. */
export const readDamage = async (
  ctx: ReadContext,
  subject: Subject,
  rows: readonly RelationRow[],
): Promise<Damage> => {
  const isShown = (row: RelationRow) => !holderOf(subject, row)?.access.hidden;
  const checked = rows.filter((row) => isChecked(row) && isShown(row) && row.count !== 0);
  const limit = Math.min(MAX_CHECKED, Math.floor(MAX_CHECKED_TOGETHER / Math.max(1, checked.length)));
  const damage: Damage[] = [];
  // Sequentially, because each relation sends several batches of commands.
  for (const row of checked) damage.push(await ofRow(ctx, subject, row, limit));
  return {
    dangling: damage.flatMap(({ dangling }) => dangling),
    oneSided: damage.flatMap(({ oneSided }) => oneSided),
    checked: {
      references: damage.reduce((sum, { checked }) => sum + checked.references, 0),
      complete: damage.every(({ checked }) => checked.complete),
    },
  };
};
