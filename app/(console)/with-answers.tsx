'use client';

import { type DehydratedState, hydrate, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect } from 'react';

/**
 * Gives the page its first answers before its queries would ask, but only in the browser: the server knows neither its
 * time zone nor its width, and React would discard rows that differ.
 */
export const WithAnswers = ({ state, children }: { state: DehydratedState; children: ReactNode }) => {
  const client = useQueryClient();
  // Queries ask in passive effects, which run after these.
  useLayoutEffect(() => {
    hydrate(client, state);
    // `hydrate` waits for a later answer only if no component has its query yet; here every query has one.
    for (const { queryHash, promise } of state.queries) {
      const query = client.getQueryCache().get(queryHash);
      if (promise && query?.state.status === 'pending' && query.state.fetchStatus === 'idle')
        query.fetch(undefined, { initialPromise: Promise.resolve(promise) }).catch(() => undefined);
    }
  }, [client, state]);
  return children;
};
