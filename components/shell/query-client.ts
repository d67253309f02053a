import { type InfiniteData, MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { signingOut } from '@/components/patterns/credentials';
import { ApiProblem, basePath } from '@/lib/api-client';

const toSignIn = () => {
  const { pathname, search } = window.location;
  const path = pathname.slice(basePath().length);
  if (path === '/sign-in' || path === '/setup' || signingOut.isBegun) return;
  window.location.assign(`${basePath()}/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`);
};

/** Maximum number of reloads before a list was first read to its end; then the error is shown. */
const MAX_RELOADS = 2;

/** Whether a list was read to its end. */
const isComplete = (data: unknown): boolean =>
  !(data as InfiniteData<{ nextCursor?: string | null }> | undefined)?.pages?.at(-1)?.nextCursor;

const onError = (error: Error) => {
  // The session ended while the page was open: after signing in, the user returns to this page.
  if (error instanceof ApiProblem && error.status === 401) toSignIn();
};

/**
 * Retries failures of the network and the server, not refusals (4xx). A list or search whose cursor expired (410) is
 * reloaded from the start, at most twice until it is complete, and `onListReloaded` is called.
 */
export const makeQueryClient = (onListReloaded: () => void): QueryClient => {
  const reloads = new WeakMap<Query<unknown, unknown>, number>();
  const reload = (error: Error, query: Query<unknown, unknown>): void => {
    const times = reloads.get(query) ?? 0;
    if (!(error instanceof ApiProblem) || error.code !== 'cursor_expired' || times === MAX_RELOADS) return;
    reloads.set(query, times + 1);
    error.restartsList = true;
    onListReloaded();
    // In a microtask, when the query is settled and can be fetched again.
    queueMicrotask(() => void client.refetchQueries({ queryKey: query.queryKey, exact: true }));
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError,
      onSettled: (data, error, query) => {
        if (error) reload(error, query);
        else if (isComplete(data)) reloads.delete(query);
      },
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
