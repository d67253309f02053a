import type { EntityKindRow } from '@/lib/entities/schema';

/** The name of a kind, with its application if another one has the same kind. */
export const kindLabel = (kinds: readonly EntityKindRow[], { ref, title, app }: EntityKindRow): string =>
  kinds.some((other) => other.ref !== ref && other.title === title) ? `${title} (${app})` : title;
