/** Milliseconds. Longer timers (caches, timeouts) need no page when they fire. */
const MAX_DELAY_MS = 100;

const pending = new Set<NodeJS.Timeout>();
const { setTimeout: start, clearTimeout: stop } = globalThis;

// Loaded once per worker, so the functions are wrapped once.
const tracked = (run: (...values: unknown[]) => void, delay = 0, ...values: unknown[]): NodeJS.Timeout => {
  if (delay > MAX_DELAY_MS) return start(run, delay, ...values);
  const timer = start(() => {
    pending.delete(timer);
    run(...values);
  }, delay);
  pending.add(timer);
  return timer;
};
const clear: typeof clearTimeout = (timer) => {
  pending.delete(timer as NodeJS.Timeout);
  stop(timer);
};
Object.assign(globalThis, { setTimeout: Object.assign(tracked, start), clearTimeout: clear });

/**
 * Waits for work that components have deferred by up to 100 ms, such as returning the focus after a drawer has closed.
 * Otherwise it would run in the next test, or after the last one, when there is no `document`.
 */
export const shortTimersEnded = async (): Promise<void> => {
  while (pending.size > 0) await new Promise((resolve) => start(resolve, 5));
};
