import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery } from '@/components/patterns/refetch';
import type { TokenKind } from '@/components/patterns/token-words';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import {
  type OauthState,
  type OauthToken,
  type TokenFilter,
  tokenContracts,
  type VerificationToken,
} from '@/lib/tokens/schema';
import type { Tab } from './filter';

/** One token of any tab, without its value. */
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

/** The proof, or the job that continues the revocation and has the proof as its result. */
export type RevokeResult = Result<typeof tokenContracts.oauthRevoke>;

interface At {
  connection: string;
  signal?: AbortSignal;
}

const LIST_MS = 30_000;

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
  /** Scanned, unless filtered by user: pages can be short, and only a missing cursor ends the list. */
  list: (connection: string, tab: Tab, filter: TokenFilter) =>
    infiniteQueryOptions({
      queryKey: queryKeys.tokens(connection, tab, filter),
      queryFn: ({ pageParam, signal }) =>
        LISTS[tab]({ ...filter, ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      staleTime: LIST_MS,
      refetchInterval: refetchEvery(false),
    }),

  /** The preview of a revocation, counted again each time the drawer opens (`round`). */
  preview: (connection: string, tab: Tab, input: RevokeInput, round: number) =>
    queryOptions({
      queryKey: queryKeys.tokenRevocation(connection, round, tab, input),
      queryFn: async ({ signal }) => {
        const result = await revoke(tab, { ...input, dryRun: true }, { connection, signal });
        if ('jobId' in result) throw new Error('A dry run is answered at once: it never becomes a job.');
        return result;
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
};

const STALE = [queryKeys.tokens, queryKeys.sessionStats, queryKeys.user, queryKeys.overview];

export const useRevokeTokens = (connection: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ tab, input }: { tab: Tab; input: RevokeInput }) => revoke(tab, input, { connection }),
    onSuccess: (result, { tab, input }) => {
      const gone = new Set('jobId' in result ? [] : input.ids);
      // Reloading the list takes a scan: until then revoked tokens must not stay listed below the proof.
      client.setQueriesData<InfiniteData<Page>>({ queryKey: queryKeys.tokens(connection, tab) }, (data) =>
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
        void client.resetQueries({ queryKey: queryKeys.tokens(connection, tab, input.filter) });
      for (const keyOf of STALE) void client.invalidateQueries({ queryKey: keyOf(connection) });
    },
  });
};
