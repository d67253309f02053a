import { processWide } from './process-wide';

const running = processWide('background', () => new Set<Promise<unknown>>());

/** Continues work that no answer waits for, such as recording an observation. Its failure is ignored. */
export const inBackground = (work: Promise<unknown>): void => {
  const settled = work.catch(() => undefined).finally(() => running().delete(settled));
  running().add(settled);
};

/** Resolves when no such work is running. Call it before the store is closed, so that nothing is lost. */
export const backgroundDone = async (): Promise<void> => {
  while (running().size > 0) await Promise.all(running());
};
