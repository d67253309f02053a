import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { auditContracts, OUTCOMES } from '@/lib/audit/schema';

/** Filters from the URL; '' means no filter, `from` and `to` are ISO times. */
export interface AuditFilter {
  actor: string;
  action: string;
  connection: string;
  target: string;
  outcome: string;
  from: string;
  to: string;
}

const REFRESH_MS = 15_000;

const isTime = (text: string): boolean => text !== '' && !Number.isNaN(Date.parse(text));
const isOutcome = (text: string): text is (typeof OUTCOMES)[number] =>
  (OUTCOMES as readonly string[]).includes(text);

/** Filters as `audit.list` takes them, without empty and invalid ones. */
export const wireFilter = (filter: AuditFilter) => ({
  ...(filter.actor && { actor: filter.actor }),
  ...(filter.action && { action: filter.action }),
  ...(filter.connection && { connection: filter.connection }),
  ...(filter.target && { target: filter.target }),
  ...(isOutcome(filter.outcome) && { outcome: filter.outcome }),
  ...(isTime(filter.from) && { from: new Date(filter.from).toISOString() }),
  ...(isTime(filter.to) && { to: new Date(filter.to).toISOString() }),
});

/** Entries, newest first. Refetched automatically only while one page is loaded. */
export const auditQuery = (filter: AuditFilter) => {
  const wire = wireFilter(filter);
  return infiniteQueryOptions({
    queryKey: queryKeys.auditEntries(wire),
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      call(auditContracts.list, { ...wire, ...pageAfter(pageParam) }, { signal }),
    ...cursorPages,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  });
};

/** One entry by id; null if the log does not hold it. */
export const entryQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.auditEntry(id),
    queryFn: async ({ signal }) => (await call(auditContracts.list, { id }, { signal })).items[0] ?? null,
  });

export const statusQuery = () =>
  queryOptions({
    queryKey: queryKeys.auditStatus(),
    queryFn: ({ signal }) => call(auditContracts.status, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });
