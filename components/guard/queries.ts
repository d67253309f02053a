import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchEvery } from '@/components/patterns/refetch';
import { useRefetch } from '@/components/patterns/use-refetch';
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

/** Optional input of a ban: without a note the reason is used, without `expiresAt` it has no end. */
export interface BanWords extends ChangeWords {
  note?: string;
  expiresAt?: string;
}

/** Changes of a ban: an absent field is unchanged, null removes it. */
interface Annotation {
  note?: string | null;
  expiresAt?: string | null;
}

/** The answer for one pasted line. */
export interface Answer {
  input: string;
  /** As stored in the set; null for an invalid entry. */
  stored: string | null;
  status: 'added' | 'already' | 'invalid' | 'protected';
  reason: string | null;
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

/** Refreshes what a change may have affected, also after an error. */
const useRefreshAfter = (set: GuardSet, connection: string) =>
  useRefetch(
    queryKeys.guardSet(connection, set),
    queryKeys.traffic(connection),
    queryKeys.overview(connection),
  );

const add = async (set: GuardSet, connection: string, entries: string[], words: BanWords) => {
  if (set === 'bans') {
    const done = await call(guardContracts.blacklistAdd, { ips: entries, ...words }, { connection });
    const answers: Answer[] = done.items.map(({ ip, ...item }) => ({ ...item, stored: ip }));
    return { ...done, answers };
  }
  const done = await call(guardContracts.projectsBlock, { projectIds: entries, ...words }, { connection });
  const answers: Answer[] = done.items.map(({ projectId, status }, i) => ({
    input: entries[i] ?? projectId,
    stored: projectId,
    status,
    reason: null,
  }));
  return { ...done, answers };
};

/** Bans addresses or blocks projects, with a result per entry. */
export const useAddMembers = (set: GuardSet, connection: string) =>
  useMutation({
    mutationFn: ({ entries, ...words }: { entries: string[] } & BanWords) =>
      add(set, connection, entries, words),
    onSettled: useRefreshAfter(set, connection),
  });

/** Lifts bans or unblocks projects, by the entries' own bytes. */
export const useRemoveMembers = (set: GuardSet, connection: string) =>
  useMutation({
    mutationFn: (input: { memberIds: string[] } & ChangeWords) => {
      const contract = set === 'bans' ? guardContracts.blacklistRemove : guardContracts.projectsUnblock;
      return call(contract, input, { connection });
    },
    onSettled: useRefreshAfter(set, connection),
  });

/** Edits the note or the expiry of bans. */
export const useAnnotateBans = (connection: string) =>
  useMutation({
    mutationFn: (input: { memberIds: string[] } & Annotation & ChangeWords) =>
      call(guardContracts.blacklistAnnotate, input, { connection }),
    onSettled: useRefreshAfter('bans', connection),
  });
