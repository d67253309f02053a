'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { addressSearch, changeAddress } from './history-steps';
import { nextSearch, readFields, type StepFields, stepOf, type UrlFields, type UrlState } from './url-fields';

const NO_STEPS = {};

/** `replace` avoids a step, for instance while a user id is being typed. */
type SetFields<F extends UrlFields> = (change: Partial<UrlState<F>>, how?: 'replace') => void;

/**
 * The state of a page that a shared link must show again: `const [filter, setFilter] = useUrlState({ user: '', state: '' })`.
 * Fields are strings; what equals its default is not in the address. `steps` names the fields that Back returns from;
 * changes of all others replace the current entry of the history. Declare both at module scope.
 */
export const useUrlState = <F extends UrlFields>(
  defaults: F,
  steps: StepFields<F> = NO_STEPS,
): [UrlState<F>, SetFields<F>] => {
  const params = useSearchParams();
  const [search, setSearch] = useState(() => params.toString());
  // A link, Back, or another part of the page changed the address.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `params` tells that the address changed, not what it is
  useEffect(() => setSearch(addressSearch()), [params]);
  // Back right after a step: Next renders only the last of two addresses, and `params` would not change.
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
      // The address as it is now, not as it was rendered: two quick changes must not undo each other.
      const before = addressSearch();
      const next = nextSearch(before, defaults, change);
      const step = stepOf(readFields(before, defaults), readFields(next, defaults), defaults, steps);
      setSearch(next);
      // Pages query their data themselves: the router follows this, and queries the server for nothing.
      changeAddress(next, how === 'replace' && step === 'open' ? 'none' : step);
    },
    [defaults, steps],
  );
  return [state, set];
};
