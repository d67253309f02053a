import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GlobPart, globParts, matchesGlob } from '@/lib/catalog/glob';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import type { Subscription } from '@/lib/redis/pubsub';
import { iso, SECOND } from '@/lib/time';
import { channelOf, channelOfId } from './channel-name';
import { matcherOf } from './filter';
import type { Message } from './heard';
import { hubOf, type Listener } from './hub';
import { type LiveGap, type LiveProgress, type liveContracts, MAX_PER_SECOND } from './schema';
import type { Watch } from './watch';

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
const wantedOf = (ctx: ReadContext, input: Input<typeof liveContracts.tail>): Subscription[] => {
  const { channels, channelIds, patterns, shardChannels, shardChannelIds } = input;
  const named = (kind: Subscription['kind'], names: readonly string[]): Subscription[] =>
    names.map((channel) => ({ kind, name: channelOf(ctx, { channel }) }));
  const byId = (kind: Subscription['kind'], ids: readonly string[], path: string): Subscription[] =>
    ids.map((id, i) => ({ kind, name: channelOfId(ctx, id, `${path}.${i}`) }));
  return [
    ...named('channel', channels),
    ...byId('channel', channelIds, 'channelIds'),
    ...named('pattern', patterns),
    ...named('sharded', shardChannels),
    ...byId('sharded', shardChannelIds, 'shardChannelIds'),
  ];
};

/**
 * Redis sends a message once for each subscription that it matches. A listener gets it through the first of its own
 * only: its channel, else the first of its patterns.
 */
const firstOf = (wanted: readonly Subscription[]): ((message: Message) => boolean) => {
  const channels = new Set(
    wanted.filter(({ kind }) => kind === 'channel').map(({ name }) => name.toString('latin1')),
  );
  const patterns = wanted
    .filter(({ kind }) => kind === 'pattern')
    .map(({ name }) => ({ id: name.toString('latin1'), parts: globParts(name) as readonly GlobPart[] }));
  return ({ heard: { kind, channel, pattern } }) => {
    if (kind !== 'pattern' || pattern === null) return true;
    if (channels.has(channel.toString('latin1'))) return false;
    if (patterns.length < 2) return true;
    const first = patterns.find(({ parts }) => matchesGlob(parts, channel));
    return first === undefined || first.id === pattern.toString('latin1');
  };
};

/** One listener: the newest messages that wait for it, and how many matched, were sent and were skipped. */
class Tail implements Listener {
  matched = 0;
  sent = 0;
  skipped = 0;
  private readonly waiting: Message[] = [];
  /** Skipped and not yet reported. */
  private unreported = 0;
  private gaps: LiveGap[] = [];
  private tokens = MAX_PER_SECOND;
  private filledAt = performance.now();
  private wake = () => {};
  private readonly matches: (message: Message) => boolean;

  constructor(matches: (message: Message) => boolean) {
    this.matches = matches;
  }

  hear(message: Message, _watch: Watch): void {
    if (!this.matches(message)) return;
    this.matched += 1;
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

  gap(since: number, until: number | null): void {
    const lost = { skipped: null, reason: 'connection_lost' as const, since: iso(since) };
    // Of many losses that nobody has read yet only the beginning and the last end matter.
    if (this.gaps.length >= 2) this.gaps.pop();
    this.gaps.push({ ...lost, until: until === null ? null : iso(until) });
    this.wake();
  }

  /** The reader left: nothing is waited for. */
  leave(): void {
    this.wake();
  }

  /** Resolves when there is something to send, or after so long. */
  async somethingWithin(ms: number): Promise<void> {
    if (this.waiting.length > 0 || this.gaps.length > 0) return;
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

  /** Takes what may be sent now: first the gap before the messages. They count as sent. */
  take(): { gaps: LiveGap[]; messages: Message[] } {
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

/** The counts of a tail, once a second while they change. */
class Progress {
  private reportedAt = performance.now();
  private before = { matched: 0, sent: 0 };
  private wasQuiet = false;

  constructor(private readonly tail: Tail) {}

  report(perSecond = 0): LiveProgress {
    const { matched, sent, skipped } = this.tail;
    return { at: iso(Date.now()), matched, sent, skipped, messagesPerSecond: perSecond };
  }

  /** Null before a second has passed, and while nothing changes. */
  due(): LiveProgress | null {
    const ms = performance.now() - this.reportedAt;
    if (ms < SECOND) return null;
    const { matched, sent } = this.tail;
    const heard = matched - this.before.matched;
    const isQuiet = heard === 0 && sent === this.before.sent;
    this.reportedAt += ms;
    this.before = { matched, sent };
    if (isQuiet && this.wasQuiet) return null;
    this.wasQuiet = isQuiet;
    return this.report((heard / ms) * SECOND);
  }
}

const keptBy = (watches: readonly Watch[]): Message[] =>
  watches.flatMap((watch) => watch.messages(Date.now())).sort((a, b) => a.heard.number - b.heard.number);

/**
 * Sends the messages of some channels and patterns until the reader leaves. Begins with `progress` once all are
 * subscribed. What matched and was not sent is counted in `gap`: sent and skipped together are what matched. Throws a
 * 503 `Problem` where the server refuses.
 */
export const tailMessages = async (
  ctx: ReadContext,
  input: Input<typeof liveContracts.tail>,
  sink: TailSink,
): Promise<void> => {
  const hub = hubOf(ctx.connection);
  const wanted = wantedOf(ctx, input);
  const [isFirst, passes] = [firstOf(wanted), matcherOf(input.filter, ctx.catalog)];
  const matches = (message: Message) => isFirst(message) && passes(message);
  const tail = new Tail(matches);
  const progress = new Progress(tail);
  const { watches, leave } = await hub.join(wanted, tail);
  sink.signal.addEventListener('abort', () => tail.leave(), { once: true });
  if (input.replay > 0) tail.replay(keptBy(watches).filter(matches).slice(-input.replay));
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
