import 'server-only';
import { processWide } from '@/lib/process-wide';

/** An answer about a connection, or another object, shared by all callers within some time. */
export interface SharedAnswer<T> {
  /** The answer being read or still valid; otherwise the result of `read`. Waiting callers get its error. */
  of(about: object, read: () => Promise<T>): Promise<T>;
  /** For tests, which write and read immediately. */
  forget(): void;
}

interface Shared<T> {
  answer: Promise<T>;
  /** `performance.now()`; infinite while it is being read. */
  until: number;
}

/**
 * `name` is unique in the process; `ms`: how long an answer is shared after it arrived, at least `restFactor` times
 * its duration. A failure is not shared with later callers.
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
