import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
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
 * where a query says so (`placeholderData`), and its rows are shown as such. A list or search whose place the server
 * forgot (410) is read again from the start, and `onBegunAgain` says so.
 */
export const makeQueryClient = (onBegunAgain: () => void): QueryClient => {
  const beginAgain = async (error: Error, { queryKey }: Query<unknown, unknown>): Promise<void> => {
    if (!(error instanceof ApiProblem) || error.code !== 'cursor_expired') return;
    onBegunAgain();
    await client.refetchQueries({ queryKey, exact: true });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError,
      // The query is over by then: it can be asked again.
      onSettled: (_, error, query) => error && queueMicrotask(() => void beginAgain(error, query)),
    }),
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
  return client;
};
