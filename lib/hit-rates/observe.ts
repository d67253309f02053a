import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@/lib/errors';
import type { WindowOptions } from '@/lib/redis/window';
import { SECOND } from '@/lib/time';
import { joinWindows } from './join-windows';
import { type HitRateSpan, writeSpan } from './spans';
import { type LastWindow, saveLastWindow } from './state';
import { coverageOf, takeWindow, type WindowTaker } from './take';
import type { WindowCounts } from './window-counts';

export interface ObserveOptions extends Omit<WindowOptions, 'maxAddedLatencyMs'> {
  /** The pause after a window that was cut short, ms. */
  retryMs?: number;
  /** Called after each window with the seconds observed so far. */
  onProgress?: (seconds: number) => Promise<void>;
}

const RETRY_MS = 3 * SECOND;
/** After this many windows that were cut short, no further one is opened. */
const MAX_CUTS = 4;
/** Shorter windows are not worth their fences. */
const MIN_WINDOW_MS = 100;

/** Opens windows until `ms` are observed. After one that was cut short it waits and halves the length. */
async function* windowsOf(
  taker: WindowTaker,
  options: ObserveOptions,
  clock: () => number,
): AsyncGenerator<{ counts: WindowCounts; at: number }> {
  const { retryMs = RETRY_MS, signal } = options;
  let [rest, length, cuts] = [options.ms, options.ms, 0];
  for (;;) {
    const [at, ms] = [clock(), Math.min(rest, length)];
    const counts = await takeWindow(taker, { ...options, ms });
    yield { counts, at };
    rest -= counts.seconds * SECOND;
    if (counts.cutShort) {
      cuts += 1;
      length = Math.max(MIN_WINDOW_MS, ms / 2);
    }
    if (rest < MIN_WINDOW_MS || cuts === MAX_CUTS) return;
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted) return;
  }
}

/** A window in the form of the history. */
const spanOf = (counts: WindowCounts, at: number, asked: number): HitRateSpan => ({
  at,
  asked,
  seconds: counts.seconds,
  windows: 1,
  cutShort: counts.cutShort ? 1 : 0,
  cuts: counts.cutShort ? { [counts.cutShort.why]: 1 } : {},
  families: Object.fromEntries(
    Object.entries(counts.families).map(([id, { hits, misses }]) => {
      const n = hits + misses;
      return [id, [hits, misses, 1, hits * hits, hits * n, n * n]];
    }),
  ),
  total: [counts.total.hits, counts.total.misses],
  left: [counts.notAttributed.hits, counts.notAttributed.misses],
  reasons: counts.reasons,
});

/**
 * Observes for `ms`, in one or several windows. Each is stored in the history, and their sum as the connection's last
 * window. Throws like `takeWindow` when no window was taken.
 */
export const observe = async (
  taker: WindowTaker,
  options: ObserveOptions,
  clock: () => number = Date.now,
): Promise<WindowCounts & Pick<LastWindow, 'askedSeconds'> & { windows: number }> => {
  const { store, handle } = taker;
  const askedSeconds = options.ms / SECOND;
  const windows: WindowCounts[] = [];
  const at = clock();
  try {
    for await (const { counts, at } of windowsOf(taker, options, clock)) {
      const span = spanOf(counts, at, windows.length === 0 ? askedSeconds : 0);
      await writeSpan(store, handle.config.id, 'sample', span);
      windows.push(counts);
      await options.onProgress?.(windows.reduce((sum, { seconds }) => sum + seconds, 0));
    }
  } catch (error) {
    if (windows.length === 0 || !(error instanceof Problem)) throw error;
  }
  const seen = joinWindows(windows);
  await saveLastWindow(store, handle.config.id, {
    at,
    askedSeconds,
    seconds: seen.seconds,
    coverage: coverageOf(seen),
    cutShort: seen.cutShort?.text ?? null,
  });
  return { ...seen, askedSeconds, windows: windows.length };
};
