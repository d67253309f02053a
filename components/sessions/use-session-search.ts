'use client';

import { type QueryClient, type QueryFunctionContext, queryOptions, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { withSlot } from '@/components/patterns/browser-slots';
import { readEvents, type StreamedEvent } from '@/components/patterns/event-stream';
import { queryKeyOf } from '@/components/patterns/query-key';
import { RETRY_AFTER_MS } from '@/components/patterns/refetch';
import { ApiProblem, urlOf } from '@/lib/api-client';
import type { ProblemDocument } from '@/lib/errors';
import { type SearchProgress, type Session, sessionContracts } from '@/lib/sessions/schema';
import type { WireFilter } from './session-filter';

/** Matches that a page can show. With more, the user narrows the filter or revokes by it. */
export const MAX_MATCHES = 10_000;

/** Concurrent searches in all tabs of a browser. */
const SEARCH_SLOTS = { name: 'search', count: 2 };

/** How often the page renders new matches, ms. */
const SHOW_MS = 150;

/** The state of a search, running or ended. */
export interface Search {
  matches: readonly Session[];
  progress: SearchProgress | null;
  /** null while it runs, and when its stream was lost. */
  end: 'complete' | 'limit' | 'cancelled' | null;
  /** Queued until a search in another tab of this browser ends. */
  waiting: boolean;
  tookMs: number;
  /** Handles of sessions revoked on this page since: they are left out of the matches. */
  revoked: ReadonlySet<string>;
}

const NOTHING: Search = {
  matches: [],
  progress: null,
  end: null,
  waiting: false,
  tookMs: 0,
  revoked: new Set(),
};

const without = (search: Search, handles: ReadonlySet<string>): Search => ({
  ...search,
  matches: search.matches.filter(({ handle }) => handle === null || !handles.has(handle)),
  revoked: new Set([...search.revoked, ...handles]),
});

/** Removes revoked sessions from the matches of searches, without searching again. */
export const dropMatches = (client: QueryClient, connection: string, handles: readonly string[]): void => {
  const revoked = new Set(handles);
  client.setQueriesData<Search>(
    { queryKey: queryKeyOf(sessionContracts.search, connection) },
    (search) => search && without(search, revoked),
  );
};

/** Collects the events of a search. Matches of an earlier search stay until this one is complete. */
class Findings {
  private readonly found = new Map<string, Session>();
  private readonly since = performance.now();
  private progress: SearchProgress | null = null;

  constructor(private readonly before: readonly Session[]) {}

  /** Processes an event; returns the reason after the last one. */
  take({ event, data }: StreamedEvent): 'complete' | 'limit' | null {
    if (event === 'match') {
      const session = JSON.parse(data) as Session;
      this.found.set(session.fingerprint, session);
    } else if (event === 'progress') this.progress = JSON.parse(data) as SearchProgress;
    else if (event === 'error') {
      const problem = JSON.parse(data) as Partial<ProblemDocument>;
      throw new ApiProblem(problem.status ?? 500, problem);
    } else if (event === 'end') {
      const { reason } = JSON.parse(data) as { reason: string };
      if (reason !== 'complete' && reason !== 'limit') throw new Error(reason);
      return reason;
    }
    return null;
  }

  search(end: Search['end'], revoked: ReadonlySet<string>): Search {
    const earlier = end === 'complete' ? [] : this.before.filter((each) => !this.found.has(each.fingerprint));
    const search = {
      matches: [...this.found.values(), ...earlier],
      progress: this.progress,
      end,
      waiting: false,
      tookMs: performance.now() - this.since,
      revoked,
    };
    return revoked.size > 0 ? without(search, revoked) : search;
  }
}

const follow = async (
  { client, queryKey, signal }: QueryFunctionContext<unknown[]>,
  url: string,
  stop: AbortSignal,
): Promise<Search> => {
  const last = client.getQueryData<Search>(queryKey) ?? NOTHING;
  const findings = new Findings(last.matches);
  const now = (end: Search['end']) =>
    findings.search(end, client.getQueryData<Search>(queryKey)?.revoked ?? NOTHING.revoked);
  let shown = performance.now();
  const show = () => {
    shown = performance.now();
    client.setQueryData(queryKey, now(null));
  };
  const begin = (waiting: boolean) =>
    client.setQueryData(queryKey, { ...NOTHING, matches: last.matches, waiting });
  begin(false);
  const ended = AbortSignal.any([signal, stop]);
  try {
    const end = await withSlot(
      SEARCH_SLOTS,
      ended,
      () => begin(true),
      async () => {
        for await (const event of readEvents(url, ended)) {
          const last = findings.take(event);
          if (last) return last;
          if (performance.now() - shown > SHOW_MS) show();
        }
        return null;
      },
    );
    if (end) return now(end);
  } catch (error) {
    if (stop.aborted && !signal.aborted) return now('cancelled');
    // Refused before it started: the progress of the last search is still true.
    if (!signal.aborted)
      client.setQueryData(queryKey, { ...now(null), progress: now(null).progress ?? last.progress });
    throw error;
  }
  show();
  throw new ApiProblem(0, { detail: 'The stream ended before the search did.' });
};

/** A search through all sessions: matches so far, progress, and a way to cancel it. */
export const useSessionSearch = (connection: string, filter: WireFilter) => {
  const stopper = useRef<AbortController | null>(null);
  const query = useQuery(
    queryOptions({
      queryKey: queryKeyOf(sessionContracts.search, connection, filter),
      queryFn: (context) => {
        const stop = new AbortController();
        stopper.current = stop;
        const input = { ...filter, limit: MAX_MATCHES };
        return follow(context, urlOf(sessionContracts.search, input, connection), stop.signal);
      },
      // A search scans the keyspace, so it runs only when the user requests it.
      staleTime: Number.POSITIVE_INFINITY,
      // The matches of a search that the user left are not its result when they return.
      refetchOnMount: 'always',
      gcTime: 0,
      retry: false,
      // A search that never started is retried; the user decides whether to continue one that was lost.
      refetchInterval: ({ state: { status, data } }) =>
        status === 'error' && !data?.progress ? RETRY_AFTER_MS : false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      structuralSharing: false,
    }),
  );
  return {
    search: query.data ?? NOTHING,
    searching: query.isFetching,
    /** Why the stream was lost; null while it was not. */
    lost: query.isFetching ? null : query.error,
    cancel: () => stopper.current?.abort(),
    again: () => void query.refetch(),
  };
};

export type SessionSearch = ReturnType<typeof useSessionSearch>;
