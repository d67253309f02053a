import 'server-only';
import { performance } from 'node:perf_hooks';

/**
 * How long a server took to answer, ms. While this process was busy with other things an answer may have lain there
 * unread: `least` is without that time, `most` with it.
 */
export interface RoundTrip {
  least: number;
  most: number;
}

export const timeRoundTrip = async <T>(ask: () => Promise<T>): Promise<RoundTrip & { value: T }> => {
  const [loop, started] = [performance.eventLoopUtilization(), performance.now()];
  const value = await ask();
  const most = performance.now() - started;
  const { idle } = performance.eventLoopUtilization(loop);
  return { value, most, least: Math.min(most, idle) };
};

/** Of what a round trip may have been the nearest to what is usual: only what is surely late is late. */
export const nearestTo = (usual: number, { least, most }: RoundTrip): number =>
  Math.max(least, Math.min(most, usual));

export const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
