import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { type KeyRow, keyContracts } from '@/lib/keys/schema';
import type { WireFilter } from './key-filter';

/** A node of the tree whose branches are counted; without a family, for unclassified keys. */
export interface TreeNode {
  family?: string;
  params?: string;
  prefix?: string;
}

export const keyQueries = {
  /** Found by SCAN: a page may be short or empty, and only a missing cursor ends the list. */
  list: (connection: string, filter: WireFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.keys(connection, filter),
      queryFn: async ({ pageParam, signal }) => {
        const input = { ...filter, ...pageAfter(pageParam) };
        const page = await call(keyContracts.list, input, { connection, signal });
        return { ...page, keys: page.total ?? 0 };
      },
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.keys(connection)),
      staleTime: 30_000,
      refetchInterval: refetchEvery(false),
    }),

  /** The key with exactly the searched name, if it also matches the other filters; `null` sends no query. */
  named: (connection: string, filter: WireFilter | null) =>
    queryOptions({
      queryKey: queryKeys.namedKey(connection, filter),
      queryFn: async ({ signal }): Promise<KeyRow | null> => {
        const { items } = await call(keyContracts.list, { ...filter, limit: 1 }, { connection, signal });
        return items[0] ?? null;
      },
      enabled: filter !== null,
      staleTime: 5_000,
    }),

  /** Branches of the tree. Cached until something changes, because counting them is a scan. */
  groups: (connection: string, node: TreeNode) =>
    infiniteQueryOptions({
      queryKey: queryKeys.keyGroups(connection, node),
      queryFn: ({ pageParam, signal }) =>
        call(
          keyContracts.groups,
          { ...node, ...(pageParam && { cursor: pageParam }) },
          { connection, signal },
        ),
      ...cursorPages,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
    }),
};
