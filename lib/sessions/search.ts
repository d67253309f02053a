import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { distinct } from '@/lib/redis/distinct';
import { SECOND } from '@/lib/time';
import type { SearchProgress, Session, sessionContracts } from './schema';
import { sourceOf } from './source';

/** Where a search's findings go: a stream of events. */
export interface SearchSink {
  send(event: 'match' | 'progress' | 'end', data: unknown): void;
  /** Resolves when there is room for more: the search never runs ahead of who reads it. */
  drained(): Promise<void>;
  signal: AbortSignal;
}

const PROGRESS_MS = SECOND / 4;
/** Elements read at once, so that the first match of a large chunk is out before the last is read. */
const AT_ONCE = 100;

interface Went {
  keys: number;
  examined: number;
  sessions: number;
  matches: number;
}

const progressOf = ({ keys, examined, sessions, matches }: Went, startedAt: number): SearchProgress => {
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
 * Goes through all sessions under the connection's budget and sends each match as it is found: memory stays flat
 * however many there are, and whoever stops reading stops the search.
 */
export const searchSessions = async (
  ctx: ReadContext,
  { limit = Infinity, ...filter }: Input<typeof sessionContracts.search>,
  sink: SearchSink,
): Promise<void> => {
  const startedAt = performance.now();
  const source = sourceOf(ctx, filter);
  const went: Went = { keys: await ctx.reader.size(), examined: 0, sessions: 0, matches: 0 };
  const isNew = distinct();
  let told = startedAt;
  sink.send('progress', progressOf(went, startedAt));
  for await (const { elements: given, examined, share } of source.chunks({ toEnd: true })) {
    if (sink.signal.aborted) return;
    const elements = given.filter(isNew);
    went.sessions += examined;
    went.examined = went.keys * share;
    for (let from = 0; from < elements.length; from += AT_ONCE) {
      const found = await source.read(elements.slice(from, from + AT_ONCE));
      for (const match of found) {
        if (match === null) continue;
        sink.send('match', match.session satisfies Session);
        went.matches += 1;
        if (went.matches < limit) continue;
        sink.send('progress', progressOf(went, startedAt));
        sink.send('end', { reason: 'limit' });
        return;
      }
      await sink.drained();
      if (sink.signal.aborted) return;
    }
    if (performance.now() - told < PROGRESS_MS) continue;
    told = performance.now();
    sink.send('progress', progressOf(went, startedAt));
    await sink.drained();
  }
  sink.send('progress', progressOf(went, startedAt));
  sink.send('end', { reason: 'complete' });
};
