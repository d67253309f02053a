import { processWide } from '@/lib/process-wide';

/** Tests read what they have just written: these process-wide values are created again at the next call. */
export const forget = (...names: readonly string[]): void => {
  for (const name of names) processWide(name, () => undefined).forget();
};
