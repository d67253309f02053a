import type { EntityKind } from '@/lib/insights/schema';

const fact = (name: string, title: string, list = false) => ({ name, title, hint: null, list });

/** Kinds of entity as a connection has them, for component tests. */
export const ENTITY_KINDS: EntityKind[] = [
  { kind: 'author', title: 'Author', numericId: true, explored: true, facts: [fact('slug', 'Slug')] },
  {
    kind: 'shout',
    title: 'Publication',
    numericId: true,
    explored: true,
    facts: [fact('authorIds', 'Ids of its authors', true), fact('topicIds', 'Ids of its topics', true)],
  },
];
