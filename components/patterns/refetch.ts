/** After a failure a page recovers by itself within 5 s. */
export const RETRY_AFTER_MS = 3000;

/** A `refetchInterval`: after so many ms, or only when the last attempt failed (`false`). */
export const refetchEvery =
  (ms: number | false) =>
  ({ state }: { state: { status: string } }): number | false =>
    state.status === 'error' ? RETRY_AFTER_MS : ms;
