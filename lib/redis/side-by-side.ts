import 'server-only';

/**
 * Yields what several generators yield, as it arrives: each works on its next part while one is processed. Ends when
 * all have ended. Throws the first error; by then, or when the consumer leaves, all have stopped.
 */
export async function* sideBySide<T>(parts: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const [only] = parts;
  if (parts.length === 1) {
    yield* only!;
    return;
  }
  const next = async (part: AsyncGenerator<T>) => ({ part, result: await part.next() });
  const pending = new Map(parts.map((part) => [part, next(part)]));
  try {
    while (pending.size > 0) {
      const { part, result } = await Promise.race(pending.values());
      if (result.done) {
        pending.delete(part);
        continue;
      }
      pending.set(part, next(part));
      yield result.value;
    }
  } finally {
    // Later failures belong to a walk that has ended.
    const ends = [...pending].map(async ([part, last]) => {
      await last.catch(() => undefined);
      await part.return(undefined);
    });
    await Promise.allSettled(ends);
  }
}

/** Yields what several generators yield, one generator after the other. */
export async function* oneByOne<T>(parts: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  for (const part of parts) yield* part;
}
