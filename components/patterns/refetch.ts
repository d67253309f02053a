/** Pages recover within 5 s of the end of an outage. */
export const RETRY_AFTER_MS = 3000;

/** A `refetchInterval` of `ms`; with `false` only after a failure. */
export const refetchEvery =
  (ms: number | false) =>
  ({ state }: { state: { status: string } }): number | false =>
    state.status === 'error' ? RETRY_AFTER_MS : ms;
