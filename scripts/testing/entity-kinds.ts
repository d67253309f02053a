import type { EntityKind } from '@/lib/connections/schema';

const fact = (name: string, title: string, list = false) => ({ name, title, hint: null, list });

/** A kind of entity without facts, whose ids are digits. */
export const entityKindOf = (kind: string, title: string, app = 'discours'): EntityKind => ({
  kind,
  app,
  ref: `${app}.${kind}`,
  title,
  invalidates: true,
  explored: true,
  numericId: true,
  facts: [],
});

/** Entity kinds of a connection, for component tests. */
export const ENTITY_KINDS: EntityKind[] = [
  { ...entityKindOf('author', 'Author'), facts: [fact('slug', 'Slug')] },
  {
    ...entityKindOf('shout', 'Publication'),
    facts: [fact('authorIds', 'Ids of its authors', true), fact('topicIds', 'Ids of its topics', true)],
  },
];
