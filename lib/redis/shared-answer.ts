import 'server-only';
import { processWide } from '@/lib/process-wide';

/** An answer about a connection, or another object, that all who ask within some time share. */
export interface SharedAnswer<T> {
  /** The answer that is being read or is at most so old; else that of `read`. Who waits for it gets its error. */
  of(about: object, read: () => Promise<T>): Promise<T>;
  /** Tests write and read at once. */
  forget(): void;
}

interface Shared<T> {
  answer: Promise<T>;
  /** `performance.now()`; infinite while it is being read. */
  until: number;
}

/**
 * `name` is unique in the process; `ms`: how long an answer is shared once it is there, and at least `restFactor` times as
 * long as it took. A failure is not shared with later readers.
 */
export const sharedAnswer = <T>(name: string, ms: number, restFactor = 0): SharedAnswer<T> => {
  const known = processWide(name, () => new WeakMap<object, Shared<T>>());
  return {
    of: (about, read) => {
      const before = known().get(about);
      const began = performance.now();
      if (before && began < before.until) return before.answer;
      const own: Shared<T> = { answer: read(), until: Number.POSITIVE_INFINITY };
      known().set(about, own);
      const share = (forMs: number) => {
        own.until = performance.now() + forMs;
      };
      own.answer.then(
        () => share(Math.max(ms, restFactor * (performance.now() - began))),
        () => share(0),
      );
      return own.answer;
    },
    forget: () => known.forget(),
  };
};
