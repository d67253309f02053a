import { keyIdsOf } from '@/components/patterns/key-bytes';
import type { EntityKind } from '@/lib/connections/schema';
import type { InvalidationTarget } from '@/lib/families/schema';

const TARGET_KINDS = ['family', 'entity', 'pattern', 'keys'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** The kinds of target on a connection with these kinds of entity. */
export const kindsOf = (entities: readonly EntityKind[]): TargetKind[] =>
  TARGET_KINDS.filter((kind) => kind !== 'entity' || entities.some(({ invalidates }) => invalidates));

/** The target of a drawer, as typed. */
export interface Draft {
  by: TargetKind;
  family: string;
  /** Values of the family's parameters that are set; a parameter of pairs holds `name=value:…`. */
  params: Readonly<Record<string, string>>;
  pattern: string;
  /** Its kind, or `{app}.{kind}`; empty for the first of the connection. */
  entity: string;
  id: string;
  /** Known facts of the entity by name, as typed. */
  facts: Readonly<Record<string, string>>;
  /** Indexes, in the preview, of the branches that are not deleted. */
  without: readonly number[];
  /** One key per line. */
  keys: string;
}

/** The draft's fields in the address. Exact keys are left out: key names can be secrets. */
export const DRAFT_FIELDS = {
  by: '',
  family: '',
  params: '',
  pattern: '',
  entity: '',
  id: '',
  facts: '',
  without: '',
};
export type DraftFields = typeof DRAFT_FIELDS;

const LONG_RUN = /[A-Za-z0-9+/=]{20}/;

/** A long run without separators may be a token: it is not written into the address. */
const addressed = (text: string): string => (LONG_RUN.test(text) ? '' : text);

const textOf = (values: Readonly<Record<string, string>>): string =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => addressed(value) !== '')).toString();

const oneOf = <T extends string>(known: readonly T[], text: string): T =>
  known.find((value) => value === text) ?? known[0]!;

export const draftOf = (url: DraftFields): Draft => ({
  by: oneOf(TARGET_KINDS, url.by),
  family: url.family,
  params: Object.fromEntries(new URLSearchParams(url.params)),
  pattern: url.pattern,
  entity: url.entity,
  id: url.id,
  facts: Object.fromEntries(new URLSearchParams(url.facts)),
  without: /^\d+(,\d+)*$/.test(url.without) ? url.without.split(',').map(Number) : [],
  keys: '',
});

export const fieldsOf = (draft: Draft): DraftFields => ({
  by: draft.by === TARGET_KINDS[0] ? '' : draft.by,
  family: draft.family,
  params: textOf(draft.params),
  pattern: addressed(draft.pattern),
  entity: draft.entity,
  id: addressed(draft.id),
  facts: textOf(draft.facts),
  without: draft.without.join(','),
});

/** The names and values of `author=12*:limit=10`; null where a part is not a pair. */
export const pairsOf = (text: string): [string, string][] | null => {
  const parts = text.split(':').map((part) => part.trim());
  const pairs = parts
    .filter((part) => part !== '')
    .map((part): [string, string] => [part.split('=')[0]!, part.slice(part.indexOf('=') + 1)]);
  return parts.every((part) => part === '' || /^[^=]+=./.test(part)) ? pairs : null;
};

const idsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((id) => id !== '');

const unlessEmpty = <K extends string, V>(name: K, values: V, empty: boolean): { [N in K]?: V } =>
  (empty ? {} : { [name]: values }) as { [N in K]?: V };

const familyOf = (draft: Draft, pairsParam: string | null): InvalidationTarget | null => {
  if (draft.family === '') return null;
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(draft.params)) {
    if (value === '') continue;
    if (name !== pairsParam) params[name] = value;
    else {
      const pairs = pairsOf(value);
      if (!pairs) return null;
      for (const [inside, wanted] of pairs) params[inside] = wanted;
    }
  }
  return { family: draft.family, ...unlessEmpty('params', params, Object.keys(params).length === 0) };
};

/** Whether several applications have this kind. */
export const isAmbiguous = ({ kind, ref }: EntityKind, kinds: readonly EntityKind[]): boolean =>
  kinds.some((other) => other.kind === kind && other.ref !== ref);

/** The name of a kind that is not ambiguous. */
export const kindNameOf = (entity: EntityKind, kinds: readonly EntityKind[]): string =>
  isAmbiguous(entity, kinds) ? entity.ref : entity.kind;

/** The kind that a draft names, else the first that can be invalidated; undefined on a connection without any. */
export const entityKindOf = (
  { entity }: Pick<Draft, 'entity'>,
  kinds: readonly EntityKind[],
): EntityKind | undefined => {
  const stale = kinds.filter(({ invalidates }) => invalidates);
  return stale.find(({ kind, ref }) => kind === entity || ref === entity) ?? stale[0];
};

const entityOf = (draft: Draft, kinds: readonly EntityKind[]): InvalidationTarget | null => {
  const entity = entityKindOf(draft, kinds);
  if (!entity || draft.id === '') return null;
  const facts: Record<string, string | string[]> = {};
  for (const { name, list } of entity.facts) {
    const typed = draft.facts[name]?.trim() ?? '';
    const values = idsOf(typed);
    if (list && values.length > 0) facts[name] = values;
    else if (!list && typed !== '') facts[name] = typed;
  }
  return {
    entity: {
      kind: kindNameOf(entity, kinds),
      id: draft.id,
      ...unlessEmpty('facts', facts, Object.keys(facts).length === 0),
    },
  };
};

const keysOf = ({ keys }: Draft): InvalidationTarget | null => {
  const { keyIds, tooMany } = keyIdsOf(keys);
  return keyIds.length === 0 || tooMany ? null : { keyIds };
};

/** The target of a draft, an entity with all its branches; null while the draft is incomplete. */
export const targetOf = (
  draft: Draft,
  pairsParam: string | null,
  kinds: readonly EntityKind[],
): InvalidationTarget | null => {
  if (draft.by === 'family') return familyOf(draft, pairsParam);
  if (draft.by === 'pattern') return draft.pattern === '' ? null : { pattern: draft.pattern };
  return draft.by === 'entity' ? entityOf(draft, kinds) : keysOf(draft);
};

/** An entity without the excluded branches; null where all are excluded. */
export const narrowedTo = (
  target: InvalidationTarget,
  branches: readonly { id: string }[],
  without: readonly number[],
): InvalidationTarget | null => {
  const chosen = branches.filter((_, place) => !without.includes(place)).map(({ id }) => id);
  if (!target.entity || chosen.length === branches.length) return target;
  return chosen.length === 0 ? null : { entity: { ...target.entity, branches: chosen } };
};
