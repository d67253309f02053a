import 'server-only';
import type { Subscription, SubscriptionKind } from '@/lib/redis/pubsub';
import { MINUTE, SECOND } from '@/lib/time';
import type { Message } from './heard';

const MAX_KEPT = 500;
const MAX_KEPT_BYTES = 512 * 1024;
/** The limit for all watched channels of a connection together. */
const MAX_ALL_BYTES = 32 * 1024 * 1024;
const KEPT_MS = 10 * MINUTE;
const MAX_GAPS = 10;
/** Seconds that a rate is the mean of. */
const RATE_SECONDS = 10;

/** Counts by second, for a rate per second. */
export class SecondCounts {
  private readonly counts = new Array<number>(RATE_SECONDS).fill(0);
  private latest: number;
  private readonly since: number;

  constructor(now: number) {
    this.since = now;
    this.latest = Math.floor(now / SECOND);
  }

  private advance(now: number): void {
    const second = Math.floor(now / SECOND);
    for (let at = Math.max(this.latest + 1, second - RATE_SECONDS + 1); at <= second; at++)
      this.counts[at % RATE_SECONDS] = 0;
    this.latest = Math.max(this.latest, second);
  }

  add(now: number): void {
    this.advance(now);
    this.counts[Math.floor(now / SECOND) % RATE_SECONDS]! += 1;
  }

  /** Per second, of the last ten seconds or since the beginning. */
  rate(now: number): number {
    this.advance(now);
    const seconds = Math.min(RATE_SECONDS - 1 + (now % SECOND) / SECOND, (now - this.since) / SECOND);
    return this.counts.reduce((sum, count) => sum + count, 0) / Math.max(seconds, 1);
  }
}

/** A period in which messages may have been lost, epoch ms; `until` null while the connection is lost. */
export interface Gap {
  since: number;
  until: number | null;
}

/** One watched channel or pattern with its last messages. */
export class Watch implements Subscription {
  readonly kind: SubscriptionKind;
  readonly name: Buffer;
  /** Epoch ms; null until the server has confirmed the subscription. */
  since: number | null = null;
  /** Resolves when it is subscribed. */
  ready: Promise<void> | null = null;
  listeners = 0;
  /** Ends it, once nobody listens. */
  timer: NodeJS.Timeout | null = null;
  dropped = 0;
  readonly gaps: Gap[] = [];
  private counts: SecondCounts | null = null;
  private readonly kept: Message[] = [];
  private bytes = 0;

  constructor({ kind, name }: Subscription) {
    this.kind = kind;
    this.name = name;
  }

  begin(now: number): void {
    this.since = now;
    this.counts = new SecondCounts(now);
  }

  /** Keeps a message; `watches`: how many share the memory. */
  add(message: Message, watches: number): void {
    const { at } = message.heard;
    this.counts?.add(at);
    this.kept.push(message);
    this.bytes += message.size;
    this.forgetOld(at);
    this.trim(watches);
  }

  /** Keeps what there is room for. */
  trim(watches: number): void {
    const maxBytes = Math.min(MAX_KEPT_BYTES, MAX_ALL_BYTES / watches);
    while (this.kept.length > MAX_KEPT || (this.bytes > maxBytes && this.kept.length > 1)) {
      this.shift();
      this.dropped += 1;
    }
  }

  private shift(): void {
    this.bytes -= this.kept.shift()!.size;
  }

  private forgetOld(now: number): void {
    while (this.kept.length > 0 && this.kept[0]!.heard.at < now - KEPT_MS) this.shift();
  }

  /** The messages of the last ten minutes, oldest first. */
  messages(now: number): Message[] {
    this.forgetOld(now);
    return [...this.kept];
  }

  rate(now: number): number | null {
    return this.isCut ? null : (this.counts?.rate(now) ?? null);
  }

  /** Whether its connection is lost. */
  get isCut(): boolean {
    return this.gaps.at(-1)?.until === null;
  }

  cut(since: number): void {
    this.gaps.push({ since, until: null });
    if (this.gaps.length > MAX_GAPS) this.gaps.shift();
  }

  resumed(now: number): void {
    const last = this.gaps.at(-1);
    if (last?.until === null) last.until = now;
  }
}
