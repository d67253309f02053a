import 'server-only';
import { processWide } from '@/lib/process-wide';

const MAX_REMEMBERED = 5000;

/** Remembers the last known values, for use while the store is unreachable. Drops the oldest beyond a limit. */
export const lastKnown = <T>(name: string) => {
  const known = processWide(name, () => new Map<string, T>());
  return {
    /** Undefined for values this process has not read. */
    get: (id: string): T | undefined => known().get(id),
    set: (id: string, value: T): void => {
      known().delete(id);
      known().set(id, value);
      if (known().size > MAX_REMEMBERED) known().delete(known().keys().next().value!);
    },
    forget: (): void => known.forget(),
  };
};
