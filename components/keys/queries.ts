import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
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
      queryKey: queryKeyOf(keyContracts.list, connection, filter),
      queryFn: async ({ pageParam, signal }) => {
        const input = { ...filter, ...pageAfter(pageParam) };
        const page = await call(keyContracts.list, input, { connection, signal });
        return { ...page, keys: page.total ?? 0 };
      },
      ...cursorPages,
      placeholderData: keepWithin(queryKeyOf(keyContracts.list, connection)),
      staleTime: 30_000,
      refetchInterval: refetchEvery(false),
    }),

  /** The key with exactly the searched name, if it also matches the other filters; `null` sends no query. */
  named: (connection: string, filter: WireFilter | null) =>
    queryOptions({
      ...readQuery(keyContracts.list, connection, { ...filter, limit: 1 }),
      select: ({ items }): KeyRow | null => items[0] ?? null,
      enabled: filter !== null,
      staleTime: 5_000,
    }),

  /** Branches of the tree. Cached until something changes, because counting them is a scan. */
  groups: (connection: string, node: TreeNode) =>
    infiniteQueryOptions({
      queryKey: queryKeyOf(keyContracts.groups, connection, node),
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
