'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { wholeOf } from '@/components/patterns/whole';
import type { Result } from '@/lib/contract';
import type { keyContracts } from '@/lib/keys/schema';
import { keyQueries, type TreeNode } from './queries';

type Page = Result<typeof keyContracts.groups>;
export type KeyGroup = Page['groups'][number];

/** Limits after which the scan pauses until the user continues: a large family is not counted completely unasked. */
const MAX_PAGES_PER_LOAD = 40;
const MAX_GROUPS_PER_LOAD = 200;

const idOf = ({ open, value }: KeyGroup): string => open ?? `hidden ${value}`;

/**
 * The branches of all pages with their counts added up. New branches of a page follow those of earlier pages, most
 * keys first, so that no branch moves during the scan.
 */
export const addUp = (pages: readonly Pick<Page, 'groups'>[]): KeyGroup[] => {
  const byId = new Map<string, KeyGroup>();
  for (const { groups } of pages) {
    for (const group of [...groups].sort((a, b) => b.keys - a.keys)) {
      const known = byId.get(idOf(group));
      if (known) known.keys += group.keys;
      else byId.set(idOf(group), { ...group });
    }
  }
  return [...byId.values()];
};

/** The branches of a node. Counting begins immediately, page by page, and pauses after a while or when stopped. */
export const useGroups = (node: TreeNode) => {
  const connection = useConnection();
  const query = useInfiniteQuery(keyQueries.groups(connection.id, node));
  const [allowed, setAllowed] = useState({ pages: MAX_PAGES_PER_LOAD, groups: MAX_GROUPS_PER_LOAD });
  const pages = query.data?.pages;
  const groups = useMemo(() => addUp(pages ?? []), [pages]);
  const count = pages?.length ?? 0;
  const examined = pages?.reduce((sum, page) => sum + page.examined, 0) ?? 0;
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  const paused = hasNextPage && (count >= allowed.pages || groups.length >= allowed.groups || isError);
  useEffect(() => {
    if (hasNextPage && !paused && !isFetchingNextPage) void fetchNextPage({ cancelRefetch: false });
  });
  return {
    groups,
    param: pages?.[0]?.param ?? null,
    /** No page has been read yet. */
    loading: query.isPending,
    error: query.error,
    keys: pages?.reduce((sum, page) => sum + page.keys, 0) ?? 0,
    examined,
    total: wholeOf(examined, pages?.at(-1)?.total),
    complete: pages !== undefined && !hasNextPage,
    paused,
    stop: () => setAllowed({ pages: 0, groups: 0 }),
    goOn: () => {
      setAllowed({ pages: count + MAX_PAGES_PER_LOAD, groups: groups.length + MAX_GROUPS_PER_LOAD });
      void (pages ? fetchNextPage() : query.refetch());
    },
  };
};
