import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { call } from '@/lib/api-client';
import { type EntityRef, entityContracts } from '@/lib/entities/schema';
import { jobContracts } from '@/lib/jobs/schema';

export interface EntityName {
  kind: string;
  id: string;
}

/** An element with its place: a list may have the same element twice. */
export type RelationRow = EntityRef & { row: string };

export const entityQueries = {
  entity: (connection: string, { kind, id }: EntityName) =>
    queryOptions({
      ...readQuery(entityContracts.get, connection, { kind, id }),
      refetchInterval: refetchEvery(false),
    }),

  /** One relation. With `repeats` an element that comes twice is two rows. */
  relation: (connection: string, { kind, id }: EntityName, relation: string, repeats: boolean) =>
    infiniteQueryOptions({
      queryKey: queryKeyOf(entityContracts.relation, connection, { kind, id, relation }),
      queryFn: async ({ pageParam, signal }) => {
        const input = { kind, id, relation, ...pageAfter(pageParam) };
        const page = await call(entityContracts.relation, input, { connection, signal });
        const items = page.items.map(
          (item, place): RelationRow => ({ ...item, row: repeats ? `${pageParam} ${place}` : item.id }),
        );
        return { ...page, items, examined: 0, keys: 0 };
      },
      ...cursorPages,
      staleTime: 30_000,
      refetchInterval: refetchEvery(false),
    }),

  /** The latest checks of this connection. */
  checks: (connection: string) =>
    queryOptions({
      queryKey: queryKeyOf(jobContracts.list, null, { connection, checks: true }),
      queryFn: async ({ signal }) => {
        const { items } = await call(jobContracts.list, { connection, limit: 200 }, { signal });
        return items.filter(({ action }) => action === entityContracts.check.id);
      },
      refetchInterval: refetchEvery(false),
    }),
};
