'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { nextSearch, readFields, type UrlFields, type UrlState } from './url-fields';

/**
 * The state of a page that a shared link must show again: `const [filter, setFilter] = useUrlState({ user: '', state: '' })`.
 * Fields are strings; what equals its default is not in the address. Declare `defaults` at module scope.
 */
export const useUrlState = <F extends UrlFields>(
  defaults: F,
): [UrlState<F>, (change: Partial<UrlState<F>>) => void] => {
  const params = useSearchParams();
  const [search, setSearch] = useState(() => params.toString());
  // A link, "back", or another part of the page changed the address.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `params` tells that the address changed, not what it is
  useEffect(() => setSearch(window.location.search.slice(1)), [params]);
  const state = useMemo(() => readFields(search, defaults), [search, defaults]);
  const set = useCallback(
    (change: Partial<UrlState<F>>) => {
      // The address as it is now, not as it was rendered: two quick changes must not undo each other.
      const next = nextSearch(window.location.search, defaults, change);
      setSearch(next);
      // Pages ask for their data themselves: the router follows this, and asks the server for nothing.
      window.history.replaceState(null, '', next ? `?${next}` : window.location.pathname);
    },
    [defaults],
  );
  return [state, set];
};
