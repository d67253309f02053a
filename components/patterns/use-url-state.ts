'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { nextSearch, readFields, type UrlFields, type UrlState } from './url-fields';

/**
 * The state of a page that a shared link must show again: `const [filter, setFilter] = useUrlState({ user: '', state: '' })`.
 * Fields are strings; what equals its default is not in the address. Declare `defaults` at module scope.
 */
export const useUrlState = <F extends UrlFields>(
  defaults: F,
): [UrlState<F>, (change: Partial<UrlState<F>>) => void] => {
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const search = params.toString();
  const state = useMemo(() => readFields(search, defaults), [search, defaults]);
  const set = useCallback(
    (change: Partial<UrlState<F>>) => {
      // The address as it is now, not as it was rendered: two quick changes must not undo each other.
      const next = nextSearch(window.location.search, defaults, change);
      router.replace(next ? `${pathname}?${next}` : pathname, { scroll: false });
    },
    [router, pathname, defaults],
  );
  return [state, set];
};
