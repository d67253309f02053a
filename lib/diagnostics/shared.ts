import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';

interface Shared {
  result: Promise<unknown>;
  /** Epoch ms; infinite while it is being read. */
  until: number;
}

const known = processWide('diagnostics', () => new WeakMap<ConnectionHandle, Map<string, Shared>>());

/**
 * Reads once for all pages that are open: readers of the next `forMs` after its end get the same result. A failure is
 * shared only by those who wait for it.
 */
export const sharedRead = <T>(
  handle: ConnectionHandle,
  name: string,
  forMs: number,
  read: () => Promise<T>,
): Promise<T> => {
  const ofConnection = known().get(handle) ?? new Map<string, Shared>();
  known().set(handle, ofConnection);
  const before = ofConnection.get(name);
  if (before && before.until > Date.now()) return before.result as Promise<T>;
  const shared: Shared = { result: read(), until: Number.POSITIVE_INFINITY };
  ofConnection.set(name, shared);
  shared.result.then(
    () => {
      shared.until = Date.now() + forMs;
    },
    () => {
      shared.until = 0;
    },
  );
  return shared.result as Promise<T>;
};

/** Tests begin without a result. */
export const forgetDiagnostics = (): void => known.forget();
