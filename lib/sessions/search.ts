import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { ahead } from '@/lib/redis/ahead';
import { distinct } from '@/lib/redis/distinct';
import { type Chunk, fillPage } from '@/lib/redis/page';
import { FIRST_CURSOR } from '@/lib/redis/scan-nodes';
import { connectedProcess, cursorExpired, watchProcesses } from '@/lib/redis/server-process';
import { SECOND } from '@/lib/time';
import type { SearchProgress, Session, sessionContracts } from './schema';
import { sourceOf } from './sources';

/** A page is answered within about this time, so it may be short. */
const PAGE_MS = 200;
/** Keys per call: their marks fit into the cursor. */
const MAX_CHUNK = 100;

/** Sessions in the server's order, found by scanning, because the index may lack some. */
export const listSessions: ReadOf<typeof sessionContracts.list> = async (
  ctx,
  { cursor, limit, ...filter },
) => {
  const keys = await ctx.reader.size();
  const source = sourceOf(ctx, filter);
  let leftOut = 0;
  const page = await fillPage({
    cursor,
    limit,
    withinMs: PAGE_MS,
    first: FIRST_CURSOR,
    isServerCursor: source.isCursor,
    servedBy: () => connectedProcess(ctx.connection),
    async *chunks(from): AsyncGenerator<Chunk> {
      for await (const chunk of source.chunks({ cursor: from, chunk: MAX_CHUNK, isPage: true })) {
        leftOut += chunk.examined - chunk.elements.length;
        yield chunk;
      }
    },
    read: async (elements) => (await source.read(elements)).map((match) => match?.session ?? null),
  });
  return { items: page.items, nextCursor: page.nextCursor, examined: page.examined + leftOut, keys };
};

/** Where a search sends its matches: a stream of events. */
export interface SearchSink {
  send(event: 'match' | 'progress' | 'end', data: unknown): void;
  /** Resolves when there is room for more: the search never gets ahead of its reader. */
  drained(): Promise<void>;
  signal: AbortSignal;
}

const PROGRESS_MS = SECOND / 4;
/** Elements read together. Few, so that the first match of a large chunk is sent before the last is read. */
const BATCH_SIZE = 100;

/** The progress of a search. */
interface Counts {
  keys: number;
  examined: number;
  sessions: number;
  matches: number;
}

const progressOf = ({ keys, examined, sessions, matches }: Counts, startedAt: number): SearchProgress => {
  const seconds = (performance.now() - startedAt) / SECOND;
  return {
    examined: Math.min(Math.round(examined), keys),
    keys,
    sessions,
    matches,
    ratePerSecond: seconds > 0 ? Math.round(Math.min(examined, keys) / seconds) : 0,
  };
};

/**
 * Scans all sessions under the connection's budget and sends each match immediately, so memory stays constant. Stops
 * when the reader stops. Throws 410 where the server's process changes.
 */
export const searchSessions = async (
  ctx: ReadContext,
  { limit = Infinity, ...filter }: Input<typeof sessionContracts.search>,
  sink: SearchSink,
): Promise<void> => {
  const startedAt = performance.now();
  const source = sourceOf(ctx, filter);
  const isSame = await watchProcesses(ctx.connection);
  const counts: Counts = { keys: await ctx.reader.size(), examined: 0, sessions: 0, matches: 0 };
  const isNew = distinct();
  let reportedAt = startedAt;
  const walk = { withShare: true, signal: sink.signal };
  sink.send('progress', progressOf(counts, startedAt));
  for await (const { elements: given, examined, share } of ahead(source.chunks(walk))) {
    if (sink.signal.aborted) return;
    if (!isSame()) throw cursorExpired();
    const elements = given.filter(isNew);
    counts.sessions += examined - given.length + elements.length;
    counts.examined = counts.keys * share;
    for (let from = 0; from < elements.length; from += BATCH_SIZE) {
      const matches = await source.read(elements.slice(from, from + BATCH_SIZE));
      for (const match of matches) {
        if (match === null) continue;
        sink.send('match', match.session satisfies Session);
        counts.matches += 1;
        if (counts.matches < limit) continue;
        sink.send('progress', progressOf(counts, startedAt));
        sink.send('end', { reason: 'limit' });
        return;
      }
      await sink.drained();
      if (sink.signal.aborted) return;
    }
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    reportedAt = performance.now();
    sink.send('progress', progressOf(counts, startedAt));
    await sink.drained();
  }
  if (!isSame()) throw cursorExpired();
  sink.send('progress', progressOf(counts, startedAt));
  sink.send('end', { reason: 'complete' });
};
