import type { EntityKindRow } from '@/lib/entities/schema';

/** The name of a kind: with its application where another one has the same. */
export const kindLabel = (kinds: readonly EntityKindRow[], { ref, title, app }: EntityKindRow): string =>
  kinds.some((other) => other.ref !== ref && other.title === title) ? `${title} (${app})` : title;
