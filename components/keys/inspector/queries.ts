import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { refetchEvery } from '@/components/patterns/refetch';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem, call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';

/** Applications change keys, too. */
const REFRESH_MS = 10_000;
export const PAGE_ELEMENTS = 200;

export const isGone = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

/** The id of a very long key is stored for a few hours only. */
export const isExpired = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 410 && error.code !== 'cursor_expired';

type PageInput = Omit<WireInput<typeof keyContracts.get>, 'keyId'>;

/** One page of a key, read now and not cached. */
export const readKey = (
  connection: string,
  keyId: string,
  input: PageInput = {},
  signal?: AbortSignal,
): Promise<KeyDetails> =>
  call(
    keyContracts.get,
    { keyId, limit: PAGE_ELEMENTS, ...input },
    { connection, ...(signal && { signal }) },
  );

export const keyQueries = {
  /** The facts of a key, with the first page of its value. */
  details: (connection: string, keyId: string) =>
    queryOptions({
      queryKey: queryKeyOf(keyContracts.get, connection, { keyId }),
      queryFn: ({ signal }) => readKey(connection, keyId, {}, signal),
      refetchInterval: ({ state }) =>
        isGone(state.error) || isExpired(state.error) ? REFRESH_MS : refetchEvery(REFRESH_MS)({ state }),
    }),

  /** A later page of a string. A new value (`etag`) is read again. */
  stringPage: (connection: string, keyId: string, cursor: string, etag: string) =>
    queryOptions({
      queryKey: queryKeyOf(keyContracts.get, connection, { keyId, part: 'page', cursor, etag }),
      queryFn: ({ signal }) => readKey(connection, keyId, { cursor }, signal),
      placeholderData: keepWithin(queryKeyOf(keyContracts.get, connection, { keyId, part: 'page' })),
    }),

  /** The vector of an element of a vector set. */
  element: (connection: string, keyId: string, name: string) =>
    queryOptions({
      queryKey: queryKeyOf(keyContracts.get, connection, { keyId, part: 'element', name }),
      queryFn: ({ signal }) => readKey(connection, keyId, { match: name }, signal),
    }),

  /** Elements of a collection page by page. Not refetched automatically, because that would read all pages again. */
  elements: (connection: string, keyId: string, match: string) =>
    infiniteQueryOptions({
      queryKey: queryKeyOf(keyContracts.get, connection, { keyId, part: 'elements', match }),
      queryFn: ({ pageParam, signal }) =>
        readKey(
          connection,
          keyId,
          { ...(match && { match }), ...(pageParam && { cursor: pageParam }) },
          signal,
        ).then((page) => ({ ...page, cursor: pageParam })),
      initialPageParam: '',
      getNextPageParam: ({ nextCursor }): string | undefined => nextCursor ?? undefined,
      placeholderData: keepWithin(queryKeyOf(keyContracts.get, connection, { keyId, part: 'elements' })),
      refetchInterval: refetchEvery(false),
    }),
};

type Contracts = typeof keyContracts;
export type KeyChange = Contracts['update' | 'setTtl' | 'delete' | 'rename' | 'duplicate'];

/** A change of a key. `gcTime` 0: typed values are not cached after the drawer closes. */
export const useKeyChange = <C extends KeyChange>(contract: C) =>
  useCommand(contract, undefined, { gcTime: 0 });
