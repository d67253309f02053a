import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import type { Problem } from '@/lib/errors';
import { type GlobPart, globParts, matchesGlob } from '@/lib/keyspace/glob';
import type { Subscription } from '@/lib/redis/pubsub';
import { iso, SECOND } from '@/lib/time';
import { channelOf, channelOfId } from './channel-name';
import { matcherOf } from './filter';
import type { Message } from './heard';
import { hubOf, type Listener } from './hub';
import {
  type channelContracts,
  type LiveGap,
  type LiveProgress,
  MAX_NAME_BYTES,
  MAX_PER_SECOND,
} from './schema';
import type { Gap, Watch } from './watch';

/** Where a tail sends its events: a stream of server-sent events. */
export interface TailSink {
  send(event: 'message' | 'gap' | 'progress', data: unknown): void;
  /** Resolves when the reader has room for more. */
  drained(): Promise<void>;
  signal: AbortSignal;
}

const BATCH_MS = 200;
/** Waiting messages of one listener: as many as one burst. */
const MAX_WAITING = MAX_PER_SECOND;

/** The subscriptions of an input. Throws 400 for an id of another connection. */
const wantedOf = (ctx: ReadContext, input: Input<typeof channelContracts.tail>): Subscription[] => {
  const { channels, channelIds, patterns, patternIds, shardChannels, shardChannelIds } = input;
  const named = (kind: Subscription['kind'], names: readonly string[]): Subscription[] =>
    names.map((channel) => ({ kind, name: channelOf(ctx, { channel }) }));
  const byId = (kind: Subscription['kind'], ids: readonly string[], path: string): Subscription[] =>
    ids.map((id, i) => ({ kind, name: channelOfId(ctx, id, `${path}.${i}`) }));
  return [
    ...named('channel', channels),
    ...byId('channel', channelIds, 'channelIds'),
    ...named('pattern', patterns),
    ...byId('pattern', patternIds, 'patternIds'),
    ...named('sharded', shardChannels),
    ...byId('sharded', shardChannelIds, 'shardChannelIds'),
  ];
};

/** `since`: what was heard before was heard through others. Without it there is nothing earlier. */
type Own = Subscription & { since?: number | null };

/**
 * Redis sends a message once for each subscription that it matches. A listener gets it through the first of its own
 * only: its channel, else the first of its patterns.
 */
const firstOf = (wanted: readonly Own[]): ((message: Message) => boolean) => {
  const channels = new Map(
    wanted.filter(({ kind }) => kind === 'channel').map((own) => [own.name.toString('latin1'), own]),
  );
  const patterns = wanted
    .filter(({ kind }) => kind === 'pattern')
    .map((own) => ({
      own,
      id: own.name.toString('latin1'),
      parts: globParts(own.name) as readonly GlobPart[],
    }));
  return ({ heard: { at, kind, channel, pattern } }) => {
    // The end of a longer name is not known.
    if (kind !== 'pattern' || pattern === null || channel.length > MAX_NAME_BYTES) return true;
    const hears = ({ since = 0 }: Own): boolean => since !== null && since <= at;
    const own = channels.get(channel.toString('latin1'));
    if (own && hears(own)) return false;
    if (patterns.length < 2) return true;
    const first = patterns.find(({ own, parts }) => hears(own) && matchesGlob(parts, channel));
    return first === undefined || first.id === pattern.toString('latin1');
  };
};

/** One listener: the newest messages that wait for it, and how many matched, were sent and were skipped. */
class Tail implements Listener {
  matched = 0;
  /** Number of matching messages, without replayed ones. */
  heard = 0;
  sent = 0;
  skipped = 0;
  private readonly waiting: Message[] = [];
  /** Skipped and not yet reported. */
  private unreported = 0;
  private gaps: LiveGap[] = [];
  private tokens = MAX_PER_SECOND;
  private filledAt = performance.now();
  private problem: Problem | null = null;
  private wake = () => {};

  constructor(private readonly matches: (message: Message) => boolean) {}

  hear(message: Message): void {
    if (!this.matches(message)) return;
    this.matched += 1;
    this.heard += 1;
    this.waiting.push(message);
    // The newest win: a reader that keeps up is at most a second behind.
    if (this.waiting.length > MAX_WAITING) {
      this.waiting.shift();
      this.skipped += 1;
      this.unreported += 1;
    }
    this.wake();
  }

  /** Begins with earlier messages, oldest first. */
  replay(messages: readonly Message[]): void {
    const earlier = messages.filter((message) => !this.waiting.includes(message));
    this.matched += earlier.length;
    this.waiting.unshift(...earlier);
  }

  /** When the first message that waits was heard, epoch ms; null without one. */
  get first(): number | null {
    return this.waiting[0]?.heard.at ?? null;
  }

  gap(since: number, until: number | null): void {
    const lost = { skipped: null, reason: 'connection_lost' as const, since: iso(since) };
    // If a reader has several unread losses, only the beginning of the first and the end of the last matter.
    if (this.gaps.length >= 2) this.gaps.pop();
    this.gaps.push({ ...lost, until: until === null ? null : iso(until) });
    this.wake();
  }

  fail(problem: Problem): void {
    this.problem = problem;
    this.wake();
  }

  /** The reader left: nothing is waited for. */
  leave(): void {
    this.wake();
  }

  /** Resolves when there is something to send, or after so long. */
  async somethingWithin(ms: number): Promise<void> {
    if (this.waiting.length > 0 || this.gaps.length > 0 || this.problem) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => {};
  }

  private allowed(): number {
    const now = performance.now();
    this.tokens = Math.min(MAX_PER_SECOND, this.tokens + ((now - this.filledAt) / SECOND) * MAX_PER_SECOND);
    this.filledAt = now;
    return Math.floor(this.tokens);
  }

  /** Takes what may be sent now: first the gap before the messages. They count as sent. Throws what ended it. */
  take(): { gaps: LiveGap[]; messages: Message[] } {
    if (this.problem) throw this.problem;
    const gaps = this.gaps.splice(0);
    if (this.unreported > 0)
      gaps.push({ skipped: this.unreported, reason: 'too_many', since: null, until: null });
    this.unreported = 0;
    const messages = this.waiting.splice(0, this.allowed());
    this.tokens -= messages.length;
    this.sent += messages.length;
    return { gaps, messages };
  }
}

/** A quiet tail reports too: its reader knows by that how long nothing can be missing. */
const QUIET_SECONDS = 10;

/** The counts of a tail, once a second while they change, else every ten seconds. */
class Progress {
  private reportedAt = performance.now();
  private before = { heard: 0, sent: 0 };
  private quietSeconds = 0;

  constructor(private readonly tail: Tail) {}

  report(perSecond: number | null = null): LiveProgress {
    const { matched, sent, skipped } = this.tail;
    return { at: iso(Date.now()), matched, sent, skipped, messagesPerSecond: perSecond };
  }

  /** Null where nothing is to be reported yet. */
  due(): LiveProgress | null {
    const ms = performance.now() - this.reportedAt;
    if (ms < SECOND) return null;
    const { heard, sent } = this.tail;
    const fresh = heard - this.before.heard;
    const isQuiet = fresh === 0 && sent === this.before.sent;
    this.reportedAt += ms;
    this.before = { heard, sent };
    this.quietSeconds = isQuiet ? this.quietSeconds + 1 : 0;
    if (this.quietSeconds > 1 && this.quietSeconds % QUIET_SECONDS !== 0) return null;
    return this.report((fresh / ms) * SECOND);
  }
}

const keptBy = (watches: readonly Watch[]): Message[] =>
  watches.flatMap((watch) => watch.messages(Date.now())).sort((a, b) => a.heard.number - b.heard.number);

/** The gaps within what is replayed from `from` on, and those that last; each once. */
const gapsOf = (watches: readonly Watch[], from: number | null): Gap[] => {
  const gaps = watches
    .flatMap((watch) => watch.gaps)
    .filter(({ until }) => until === null || (from !== null && until >= from));
  return [...new Map(gaps.map((gap) => [gap.since, gap])).values()].sort((a, b) => a.since - b.since);
};

/**
 * Sends the messages of some channels and patterns until the reader leaves. Begins with `progress` once all are
 * subscribed. What matched and was not sent is counted in `gap`: sent and skipped together are what matched. Throws a
 * 503 `Problem` where the server refuses.
 */
export const tailMessages = async (
  ctx: ReadContext,
  input: Input<typeof channelContracts.tail>,
  sink: TailSink,
): Promise<void> => {
  const hub = hubOf(ctx.connection);
  const wanted = wantedOf(ctx, input);
  const passes = matcherOf(input.filter, ctx.catalog);
  const both = (isFirst: (message: Message) => boolean) => (message: Message) =>
    isFirst(message) && passes(message);
  const tail = new Tail(both(firstOf(wanted)));
  const progress = new Progress(tail);
  const { watches, leave } = await hub.join(wanted, tail);
  sink.signal.addEventListener('abort', () => tail.leave(), { once: true });
  if (input.replay > 0)
    tail.replay(
      keptBy(watches)
        .filter(both(firstOf(watches)))
        .slice(-input.replay),
    );
  for (const { since, until } of gapsOf(watches, tail.first)) tail.gap(since, until);
  try {
    sink.send('progress', progress.report());
    while (!sink.signal.aborted) {
      await tail.somethingWithin(SECOND);
      const { gaps, messages } = tail.take();
      for (const gap of gaps) sink.send('gap', gap);
      for (const message of messages) sink.send('message', await message.show(ctx, hub.process));
      const report = progress.due();
      if (report) sink.send('progress', report);
      await sink.drained();
      await sleep(BATCH_MS, undefined, { signal: sink.signal }).catch(() => undefined);
    }
  } finally {
    leave();
  }
};
