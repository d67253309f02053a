import 'server-only';
import { performance } from 'node:perf_hooks';

/**
 * How long a server took to answer, ms. An answer may have waited unread while this process was busy: `least` excludes
 * that time, `most` includes it.
 */
export interface RoundTrip {
  least: number;
  most: number;
}

export const timeRoundTrip = async <T>(call: () => Promise<T>): Promise<RoundTrip & { value: T }> => {
  const [loop, started] = [performance.eventLoopUtilization(), performance.now()];
  const value = await call();
  const most = performance.now() - started;
  const { idle } = performance.eventLoopUtilization(loop);
  return { value, most, least: Math.min(most, idle) };
};

/** The possible duration closest to the usual one, so that only a certain delay counts as late. */
export const nearestTo = (usual: number, { least, most }: RoundTrip): number =>
  Math.max(least, Math.min(most, usual));

export const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
