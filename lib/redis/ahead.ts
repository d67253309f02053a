import 'server-only';
import { setImmediate } from 'node:timers/promises';

/**
 * The same, with the next one under way while this one is looked at: server and console then work at the same time.
 * At most one more is in memory. Whoever stops early waits for it to end.
 */
export async function* ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      // A failure is met when it is its turn, which may never come.
      next.catch(() => undefined);
      // The next call is on the wire before this one's work keeps the process busy.
      await setImmediate();
      yield value;
    }
  } finally {
    await source.return(undefined).catch(() => undefined);
  }
}
