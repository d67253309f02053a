import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem, basePath } from '@/lib/api-client';

const toSignIn = () => {
  const { pathname, search } = window.location;
  const path = pathname.slice(basePath().length);
  if (path === '/sign-in' || path === '/setup') return;
  window.location.assign(`${basePath()}/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`);
};

const onError = (error: Error) => {
  // A session that ended while the page was open: sign in and come back to this very page.
  if (error instanceof ApiProblem && error.status === 401) toSignIn();
};

/**
 * A refusal is not asked twice, and an unreachable Redis is tried again. What another query answered stands in only
 * where a query says so (`placeholderData`), and its rows are shown as such.
 */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
      },
      mutations: { retry: false },
    },
  });
