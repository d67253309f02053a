import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from './connections';

/** An answer about a connection that all who ask within some time share. */
export interface SharedAnswer<T> {
  /** The answer, at most so old; else that of `read`. Each reader that waits for it gets its error. */
  of(handle: ConnectionHandle, read: () => Promise<T>): Promise<T>;
  /** Tests write and read at once. */
  forget(): void;
}

/** `name` is unique in the process; `ms`: how long an answer is shared. A failure is not shared with later readers. */
export const sharedAnswer = <T>(name: string, ms: number): SharedAnswer<T> => {
  const known = processWide(name, () => new WeakMap<ConnectionHandle, { at: number; answer: Promise<T> }>());
  return {
    of: (handle, read) => {
      const before = known().get(handle);
      if (before && performance.now() - before.at < ms) return before.answer;
      const answer = read();
      const own = { at: performance.now(), answer };
      known().set(handle, own);
      answer.catch(() => known().get(handle) === own && known().delete(handle));
      return answer;
    },
    forget: () => known.forget(),
  };
};
