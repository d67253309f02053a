import { setImmediate } from 'node:timers/promises';

/** Maps a long list, and lets other requests be served after each `perStep` items. */
export const mapInSteps = async <T, R>(
  items: readonly T[],
  perStep: number,
  map: (item: T) => R,
): Promise<R[]> => {
  const mapped: R[] = [];
  for (const [i, item] of items.entries()) {
    mapped.push(map(item));
    if (i % perStep === perStep - 1) await setImmediate();
  }
  return mapped;
};
