import 'server-only';
import { setImmediate } from 'node:timers/promises';

/**
 * Prefetches one element of `source` while the current one is processed, so that server and console work in parallel.
 * Holds at most one more in memory. A consumer that stops early waits for the call in flight.
 */
export async function* ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      // The failure is thrown when this element is consumed, which may never happen: without this handler Node ends
      // the process.
      next.catch(() => undefined);
      // Lets the next call reach the wire before processing this one keeps the process busy.
      await setImmediate();
      yield value;
    }
  } finally {
    await source.return(undefined).catch(() => undefined);
  }
}
