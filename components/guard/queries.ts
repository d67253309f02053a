import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { guardContracts } from '@/lib/guard/schema';
import { pastedEntries } from './pasted';

/** The two sets that people fill and the collector reads. */
export type GuardSet = 'bans' | 'projects';

/** An entry of either set, as the tables show it. */
export interface Member {
  memberId: string;
  member: string;
  valid: boolean;
  /** Why the collector never matches it, from the server. */
  neverMatches: string | null;
  note: string | null;
  author: string | null;
  bannedAt: string | null;
  expiresAt: string | null;
  /** Why it was not lifted although it expired, from the server. */
  notLifted: string | null;
  /** Requests of exactly this text in the current period; null when unknown. */
  requests: number | null;
  requestsExact: string | null;
  protected: boolean;
  /** The caller's own address. */
  own: boolean;
}

interface MembersPage {
  items: Member[];
  nextCursor: string | null;
  examined: number;
  /** Members of the set. */
  keys: number;
  inForceWithinSeconds: number;
}

const NO_BAN = {
  neverMatches: null,
  note: null,
  author: null,
  bannedAt: null,
  expiresAt: null,
  notLifted: null,
  requests: null,
  requestsExact: null,
  protected: false,
  own: false,
};

const readPage = async (
  set: GuardSet,
  input: { limit: number; q?: string; cursor?: string },
  options: { connection: string; signal: AbortSignal },
): Promise<MembersPage> => {
  if (set === 'bans') {
    const { total, ...page } = await call(guardContracts.blacklistList, input, options);
    const items = page.items.map((item) => ({ ...item, valid: item.neverMatches === null }));
    return { ...page, items, keys: total };
  }
  const { total, ...page } = await call(guardContracts.projectsList, input, options);
  return { ...page, items: page.items.map((item) => ({ ...NO_BAN, ...item })), keys: total };
};

export const guardQueries = {
  members: (set: GuardSet, connection: string, q: string) =>
    infiniteQueryOptions({
      queryKey: queryKeys.guardSet(connection, set, q),
      placeholderData: keepWithin(queryKeys.guardSet(connection, set)),
      queryFn: ({ pageParam, signal }) =>
        readPage(set, { ...(q && { q }), ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      refetchInterval: refetchEvery(false),
    }),

  /** The result of banning these lines, as a dry run. */
  preview: (connection: string, text: string) =>
    queryOptions({
      queryKey: queryKeys.banPreview(connection, text),
      queryFn: async ({ signal }) => {
        const input = { ips: pastedEntries(text), dryRun: true };
        return (await call(guardContracts.blacklistAdd, input, { connection, signal })).items;
      },
      staleTime: 0,
      gcTime: 0,
    }),
};
