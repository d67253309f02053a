'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { addressSearch, changeAddress } from './history-steps';
import { nextSearch, readFields, type StepFields, stepOf, type UrlFields, type UrlState } from './url-fields';

const NO_STEPS = {};

/** `replace` avoids a history step, for instance while a user id is being typed. */
type SetFields<F extends UrlFields> = (change: Partial<UrlState<F>>, how?: 'replace') => void;

/**
 * The state of a page that a shared link must restore: `const [filter, setFilter] = useUrlState({ user: '', state: ''
 * })`. Fields are strings; defaults are not in the URL. Back returns from changes of the fields in `steps`; other
 * changes replace the current history entry. Declare both at module scope.
 */
export const useUrlState = <F extends UrlFields>(
  defaults: F,
  steps: StepFields<F> = NO_STEPS,
): [UrlState<F>, SetFields<F>] => {
  const params = useSearchParams();
  const [search, setSearch] = useState(() => params.toString());
  // A link, Back, or another part of the page changed the URL.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `params` only signals that the URL changed
  useEffect(() => setSearch(addressSearch()), [params]);
  // Back right after a step: Next renders only the last of two URLs, and `params` would not change.
  useEffect(() => {
    const page = window.location.pathname;
    const onPopState = () => {
      if (window.location.pathname === page) setSearch(addressSearch());
    };
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const state = useMemo(() => readFields(search, defaults), [search, defaults]);
  const set = useCallback<SetFields<F>>(
    (change, how) => {
      // The current URL, not the rendered one: two quick changes must not undo each other.
      const before = addressSearch();
      const next = nextSearch(before, defaults, change);
      const step = stepOf(readFields(before, defaults), readFields(next, defaults), defaults, steps);
      setSearch(next);
      // Pages query their data themselves: the router follows the URL without asking the server.
      changeAddress(next, how === 'replace' && step === 'open' ? 'none' : step);
    },
    [defaults, steps],
  );
  return [state, set];
};
