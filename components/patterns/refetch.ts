/** Pages recover within 5 s of the end of an outage. */
export const RETRY_AFTER_MS = 3000;

const READING_MS = 1000;

interface Paged {
  state: { status: string; data?: { pages: readonly unknown[] } | undefined };
}

/** A refetch reads every loaded page, so the interval grows with their number. It is short while a page is incomplete. */
export const refetchPagesEvery =
  (ms: number, isIncomplete: (page: unknown) => boolean = () => false) =>
  ({ state: { status, data } }: Paged): number => {
    if (status === 'error') return RETRY_AFTER_MS;
    return data?.pages.some(isIncomplete) ? READING_MS : ms * Math.max(1, data?.pages.length ?? 0);
  };

/** A `refetchInterval` of `ms`; with `false` only after a failure. */
export const refetchEvery =
  (ms: number | false) =>
  ({ state }: { state: { status: string } }): number | false =>
    state.status === 'error' ? RETRY_AFTER_MS : ms;
