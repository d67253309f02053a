import { partialMatchKey, type QueryKey } from '@tanstack/react-query';
import type { Contract } from '@/lib/contract';

/**
 * The key of an answer: its operation, its connection (none for the console's own data) and what was asked. A part of
 * the input, or none, makes a key of all answers to inputs that contain it.
 */
export const queryKeyOf = (
  { id }: Pick<Contract, 'id'>,
  connection: string | null | undefined,
  input?: object,
): unknown[] => [id, connection ?? undefined, input].filter((part) => part !== undefined);

/**
 * A `placeholderData` that keeps the last answer while the next one of the same beginning loads: another connection's
 * figures never stand in for this one's.
 */
export const keepWithin =
  (beginning: QueryKey) =>
  <T>(last: T | undefined, query: { queryKey: QueryKey } | undefined): T | undefined =>
    query && partialMatchKey(query.queryKey, beginning) ? last : undefined;
