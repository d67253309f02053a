import type { EntityKind } from '@/lib/insights/schema';

const fact = (name: string, title: string, list = false) => ({ name, title, hint: null, list });

const of = (kind: string, title: string, app = 'discours') => ({
  ...{ kind, app, ref: `${app}.${kind}`, title },
  ...{ invalidates: true, numericId: true },
});

/** Kinds of entity as a connection has them, for component tests. */
export const ENTITY_KINDS: EntityKind[] = [
  { ...of('author', 'Author'), facts: [fact('slug', 'Slug')] },
  {
    ...of('shout', 'Publication'),
    facts: [fact('authorIds', 'Ids of its authors', true), fact('topicIds', 'Ids of its topics', true)],
  },
];
