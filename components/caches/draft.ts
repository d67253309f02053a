import { ENTITY_APP, type InvalidationTarget } from '@/lib/caches/schema';
import { keyIdsOf } from './key-bytes';

const TARGET_KINDS = ['family', 'entity', 'pattern', 'keys'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** The kinds of target on a connection with these applications. Only discours has entities. */
export const kindsOf = (apps: readonly string[]): TargetKind[] =>
  TARGET_KINDS.filter((kind) => kind !== 'entity' || apps.includes(ENTITY_APP));

export const ENTITIES = ['author', 'topic', 'shout'] as const;
type Entity = (typeof ENTITIES)[number];

/** The target of a drawer, as typed. */
export interface Draft {
  by: TargetKind;
  family: string;
  /** Values of the family's parameters that are set; a parameter of pairs holds `name=value:…`. */
  params: Readonly<Record<string, string>>;
  pattern: string;
  entity: Entity;
  id: string;
  slug: string;
  /** Ids of a publication's authors and topics, as typed. */
  authors: string;
  topics: string;
  /** Indexes, in the preview, of the branches that are not deleted. */
  without: readonly number[];
  /** One key per line. */
  keys: string;
}

/** The draft's fields in the address. Exact keys are left out: key names can be secrets. */
export const DRAFT_FIELDS = {
  ...{ by: '', family: '', params: '', pattern: '' },
  ...{ entity: '', id: '', slug: '', authors: '', topics: '', without: '' },
};
export type DraftFields = typeof DRAFT_FIELDS;

const LONG_RUN = /[A-Za-z0-9+/=]{20}/;

/** A long run without separators may be a token: it is not written into the address. */
const addressed = (text: string): string => (LONG_RUN.test(text) ? '' : text);

const oneOf = <T extends string>(known: readonly T[], text: string): T =>
  known.find((each) => each === text) ?? known[0]!;

export const draftOf = (url: DraftFields): Draft => ({
  by: oneOf(TARGET_KINDS, url.by),
  family: url.family,
  params: Object.fromEntries(new URLSearchParams(url.params)),
  pattern: url.pattern,
  entity: oneOf(ENTITIES, url.entity),
  id: url.id,
  slug: url.slug,
  authors: url.authors,
  topics: url.topics,
  without: /^\d+(,\d+)*$/.test(url.without) ? url.without.split(',').map(Number) : [],
  keys: '',
});

export const fieldsOf = (draft: Draft): DraftFields => ({
  by: draft.by === TARGET_KINDS[0] ? '' : draft.by,
  family: draft.family,
  params: new URLSearchParams(
    Object.entries(draft.params).filter(([, value]) => value !== '' && addressed(value) !== ''),
  ).toString(),
  pattern: addressed(draft.pattern),
  entity: draft.entity === ENTITIES[0] ? '' : draft.entity,
  id: draft.id,
  slug: draft.slug,
  authors: draft.authors,
  topics: draft.topics,
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

const given = <K extends string, V>(name: K, values: V, empty: boolean): { [N in K]?: V } =>
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
  return { family: draft.family, ...given('params', params, Object.keys(params).length === 0) };
};

const entityOf = ({ entity, id, slug, authors, topics }: Draft): InvalidationTarget | null => {
  if (id === '') return null;
  const isShout = entity === 'shout';
  const [authorIds, topicIds] = [idsOf(authors), idsOf(topics)];
  return {
    entity: {
      kind: entity,
      id,
      ...given('slug', slug, isShout || slug === ''),
      ...given('authorIds', authorIds, !isShout || authorIds.length === 0),
      ...given('topicIds', topicIds, !isShout || topicIds.length === 0),
    },
  };
};

const keysOf = ({ keys }: Draft): InvalidationTarget | null => {
  const { keyIds, tooMany } = keyIdsOf(keys);
  return keyIds.length === 0 || tooMany ? null : { keyIds };
};

/** The target of a draft, an entity with all its branches; null while the draft is incomplete. */
export const targetOf = (draft: Draft, pairsParam: string | null): InvalidationTarget | null => {
  if (draft.by === 'family') return familyOf(draft, pairsParam);
  if (draft.by === 'pattern') return draft.pattern === '' ? null : { pattern: draft.pattern };
  return draft.by === 'entity' ? entityOf(draft) : keysOf(draft);
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
