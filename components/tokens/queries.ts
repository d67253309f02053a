import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { TokenKind } from '@/components/patterns/token-words';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { sessionContracts } from '@/lib/sessions/schema';
import {
  type OauthState,
  type OauthToken,
  type TokenFilter,
  tokenContracts,
  type VerificationToken,
} from '@/lib/sessions/tokens/schema';
import type { Tab } from './filter';

/** One token of any tab, without the token. */
export interface TokenRow extends Omit<OauthState, 'provider'> {
  kind: TokenKind;
  userId: string | null;
  provider: string | null;
  /** What a verification is for. */
  type: string | null;
  form: OauthToken['form'] | VerificationToken['form'] | null;
}

export interface RevokeInput {
  ids?: string[];
  filter?: TokenFilter;
  reason?: string;
  confirm?: string;
}

/** A proof, or the job that goes on with it and has the proof as its result. */
export type RevokeResult = Result<typeof tokenContracts.oauthRevoke>;

interface At {
  connection: string;
  signal?: AbortSignal;
}

const PAGE = 100;
/** In a small keyspace each count is a walk through it: no oftener than this. */
const COUNTS_MS = 60_000;
const LIST_MS = 30_000;
/** After a failure the page recovers by itself within 5 s. */
const AGAIN_MS = 3000;

const NONE = { userId: null, provider: null, type: null, form: null };

interface Page extends Omit<Result<typeof tokenContracts.stateList>, 'items'> {
  items: TokenRow[];
}

type ListInput = TokenFilter & { limit: number; cursor?: string };

const LISTS: Record<Tab, (input: ListInput, options: At) => Promise<Page>> = {
  oauth: async (input, options) => {
    const page = await call(tokenContracts.oauthList, input, options);
    return { ...page, items: page.items.map((token) => ({ ...NONE, ...token })) };
  },
  verification: async (input, options) => {
    const page = await call(tokenContracts.verificationList, input, options);
    return { ...page, items: page.items.map((token) => ({ ...NONE, ...token })) };
  },
  states: async (input, options) => {
    const page = await call(tokenContracts.stateList, input, options);
    return { ...page, items: page.items.map((token) => ({ ...NONE, ...token, kind: 'state' as const })) };
  },
};

const REVOCATIONS = {
  oauth: tokenContracts.oauthRevoke,
  verification: tokenContracts.verificationRevoke,
  states: tokenContracts.stateRevoke,
};

const revoke = (tab: Tab, input: RevokeInput & { dryRun?: boolean }, options: At) =>
  call(REVOCATIONS[tab], input, options) as Promise<RevokeResult>;

export const tokenQueries = {
  /** Found by scanning, unless a person is named: pages are short, and only the last one ends the list. */
  list: (connection: string, tab: Tab, filter: TokenFilter) =>
    infiniteQueryOptions({
      queryKey: ['tokens.list', connection, tab, filter],
      queryFn: ({ pageParam, signal }) =>
        LISTS[tab](
          { ...filter, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
          { connection, signal },
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.nextCursor ?? undefined,
      staleTime: LIST_MS,
      refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
    }),

  /** How many there are of each. In a large keyspace the last count, with its time. */
  counts: (connection: string) =>
    queryOptions({
      queryKey: ['sessions.stats', connection],
      queryFn: ({ signal }) => call(sessionContracts.stats, {}, { connection, signal }),
      staleTime: LIST_MS,
      refetchInterval: COUNTS_MS,
    }),

  /** What a revocation would do. Counted anew for every drawer that opens (`round`). */
  preview: (connection: string, tab: Tab, input: RevokeInput, round: number) =>
    queryOptions({
      queryKey: ['tokens.revoke', 'dryRun', connection, round, tab, input],
      queryFn: async ({ signal }) => {
        const result = await revoke(tab, { ...input, dryRun: true }, { connection, signal });
        if ('jobId' in result) throw new Error('A dry run is answered at once: it never becomes a job.');
        return result;
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
};

const STALE = ['tokens.list', 'sessions.stats', 'sessions.user', 'overview.get'];

export const useRevokeTokens = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ tab, input }: { tab: Tab; input: RevokeInput }) => revoke(tab, input, { connection }),
    onSuccess: (result, { tab, input }) => {
      const gone = new Set('jobId' in result ? [] : input.ids);
      // Reading the list again takes a scan: what was revoked must not stand below its proof until then.
      client.setQueriesData<InfiniteData<Page>>({ queryKey: ['tokens.list', connection, tab] }, (data) =>
        data && gone.size > 0
          ? {
              ...data,
              pages: data.pages.map((page) => ({
                ...page,
                items: page.items.filter(({ id }) => !gone.has(id)),
              })),
            }
          : data,
      );
      if (input.filter && !('jobId' in result))
        void client.resetQueries({ queryKey: ['tokens.list', connection, tab, input.filter] });
      for (const id of STALE) void client.invalidateQueries({ queryKey: [id, connection] });
    },
  });
};
