'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import type { KeyElement } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import { keyQueries } from './queries';

/** Pages fetched before a search pauses: few matches must not lead through millions of elements unasked. */
const MAX_PAGES_PER_LOAD = 40;
/** Up to this many pages are read again automatically when the value changes. */
const MAX_PAGES_REREAD = 3;

export interface ElementRow extends KeyElement {
  /** The cursor and the match of its page, where it can be read again. */
  page: string;
  match: string;
}

const NO_PAGES: (KeyDetails & { cursor: string })[] = [];

/**
 * The elements of a collection. A short one comes with the key itself; a longer one, or a search, has separate pages.
 * HSCAN, SSCAN and ZSCAN may repeat elements, so each id counts once.
 */
export const useElements = (details: KeyDetails, match: string) => {
  const { id } = useConnection();
  const [allowed, setAllowed] = useState(MAX_PAGES_PER_LOAD);
  const paged = match !== '' || details.nextCursor !== null;
  const query = useInfiniteQuery({ ...keyQueries.elements(id, details.keyId, match), enabled: paged });
  const pages = query.data?.pages ?? NO_PAGES;
  const outdated = paged && pages.length > 0 && pages.some(({ etag }) => etag !== details.etag);
  const reread = useEffectEvent(() => {
    if (outdated && pages.length <= MAX_PAGES_REREAD && !query.isFetching) void query.refetch();
  });
  // Only by the key's etag, which changes at most once per interval, because pages of a busy key never agree.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the etag tells when to look, not what to read
  useEffect(() => {
    reread();
  }, [details.etag]);
  const rows = useMemo(() => {
    const distinct = new Map<string, ElementRow>();
    if (!paged)
      for (const element of details.elements) distinct.set(element.id, { ...element, page: '', match });
    else
      for (const { elements, cursor } of pages)
        for (const element of elements) distinct.set(element.id, { ...element, page: cursor, match });
    return [...distinct.values()];
  }, [paged, pages, details.elements, match]);
  const paused = paged && query.hasNextPage && (pages.length >= allowed || query.isError);
  return {
    query,
    rows,
    table: paged
      ? { ...pagesOf(query), hasMore: query.hasNextPage && !paused }
      : { loading: false, placeholder: false, hasMore: false },
    /** More elements can be read on request. */
    paused,
    goOn: () => {
      setAllowed(pages.length + MAX_PAGES_PER_LOAD);
      void query.fetchNextPage();
    },
    /** The value changed since these pages were read, and there are too many to read them again unasked. */
    outdated: outdated && pages.length > MAX_PAGES_REREAD,
    reload: () => void query.refetch(),
  };
};
