/** Pages recover within 5 s of the end of an outage. */
export const RETRY_AFTER_MS = 3000;

const READING_MS = 1000;

interface Paged {
  state: { status: string; data?: { pages: readonly unknown[] } | undefined };
}

/** Milliseconds, or those of a list that shows what is under way. */
export type Interval<Page> = number | ((pages: readonly Page[]) => number);

/** A refetch reads every loaded page, so the interval grows with their number. It is short while a page is incomplete. */
export const refetchPagesEvery =
  (every: Interval<unknown>, isIncomplete: (page: unknown) => boolean = () => false) =>
  ({ state: { status, data } }: Paged): number => {
    if (status === 'error') return RETRY_AFTER_MS;
    const { pages = [] } = data ?? {};
    if (pages.some(isIncomplete)) return READING_MS;
    return (typeof every === 'number' ? every : every(pages)) * Math.max(1, pages.length);
  };

/** A `refetchInterval` of `ms`; with `false` only after a failure. */
export const refetchEvery =
  (ms: number | false) =>
  ({ state }: { state: { status: string } }): number | false =>
    state.status === 'error' ? RETRY_AFTER_MS : ms;
