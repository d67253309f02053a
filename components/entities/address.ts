import type { StepFields } from '@/components/patterns/url-fields';
import type { EntityKindRow } from '@/lib/entities/schema';

/** `relation` is the relation whose list is open; `job` a check, or the invalidation of the shown entity. */
export const FIELDS = { tab: 'find', kind: '', q: '', id: '', relation: '', job: '' };
export type EntityFields = typeof FIELDS;

export const STEPS: StepFields<EntityFields> = { tabs: ['tab'], opens: ['relation', 'job'] };

export type SetEntityFields = (change: Partial<EntityFields>) => void;

/** The kind that an address names, by `{app}.{kind}` or by the kind alone. */
export const kindNamed = (kinds: readonly EntityKindRow[], name: string): EntityKindRow | undefined =>
  kinds.find(({ ref }) => ref === name) ?? kinds.find(({ kind }) => kind === name);

/** The title of a relation, also of its further sources (`likes.2`); the id itself where it is not known. */
export const relationTitle = (
  relations: readonly { relation: string; title: string }[],
  relation: string,
): string => {
  const [first] = relation.split('.');
  const known =
    relations.find((each) => each.relation === relation) ?? relations.find((each) => each.relation === first);
  return known?.title ?? relation;
};
