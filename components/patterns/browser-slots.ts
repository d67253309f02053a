/** Whether this browser lets tabs share: Web Locks exist only on HTTPS and on localhost. */
export const canShareTabs = (): boolean =>
  typeof BroadcastChannel !== 'undefined' && Boolean(globalThis.navigator?.locks);

type Release = () => void;

/** Acquires a lock of this browser; null where it is taken and `ifAvailable` is set. */
const acquire = (name: string, options: LockOptions): Promise<Release | null> =>
  new Promise((resolve, reject) => {
    navigator.locks
      .request(name, options, (lock) => {
        if (!lock) return resolve(null);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });

/** Waits for whichever of `names` is released first. Throws the signal's reason when that aborts. */
const acquireAny = async (names: readonly string[], signal: AbortSignal): Promise<Release> => {
  const acquired = new AbortController();
  const waiting = AbortSignal.any([signal, acquired.signal]);
  return Promise.any(
    names.map(async (name) => {
      const release = (await acquire(name, { signal: waiting }))!;
      if (acquired.signal.aborted) {
        release();
        throw new Error('Another slot was acquired first.');
      }
      acquired.abort();
      return release;
    }),
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
};

/**
 * A browser opens six connections to a host over HTTP/1.1, for all its tabs together. Streams of all tabs take one of
 * `count` slots each, so that requests never wait for streams. `onWait` is called when all slots are taken.
 */
export const withSlot = async <T>(
  { name, count }: { name: string; count: number },
  signal: AbortSignal,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> => {
  if (!canShareTabs()) return work();
  const names = Array.from({ length: count }, (_, i) => `keyward ${name} ${i + 1}`);
  let release: Release | null = null;
  for (const name of names) release ??= await acquire(name, { ifAvailable: true });
  if (!release) {
    onWait();
    release = await acquireAny(names, signal);
  }
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    release();
  }
};
