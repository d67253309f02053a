import 'server-only';
import { Problem } from '@/lib/errors';
import { type Bucket, group } from '@/lib/history/bucket';
import { recordHistoryEvent } from '@/lib/history/events';
import { type LiveSample, publishLive } from '@/lib/history/live';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, rollUpSpans, writeSpan } from '@/lib/history/spans';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted } from '@/lib/redis/failure';
import { readInfo, type ServerInfo } from '@/lib/redis/info';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { type CarryOver, delta, type Reading, serverChange } from './delta';
import { othersTraffic } from './own-traffic';

const FINEST = RESOLUTIONS[0];
/** Between readings further apart nobody looked: a gap, and not one long span. */
const MAX_SPAN_MS = 15 * SECOND;

const SUMMED = [
  'hits',
  'misses',
  'commands',
  'evicted',
  'expired',
  'netInBytes',
  'netOutBytes',
  'usedMemoryBytes',
  'maxMemoryBytes',
  'connectedClients',
  'keys',
  'keysWithTtl',
] as const;

/** INFO of every primary as one server: counters and gauges add up, latency is the worst. */
const readServer = async (handle: ConnectionHandle): Promise<ServerInfo> => {
  const infos = await Promise.all(
    handle.topology.primaries().map((node) => readInfo(handle.config.id, node)),
  );
  handle.own.commands += infos.length;
  const whole = { ...infos[0]!, runId: infos.map((info) => info.runId).join('+') };
  for (const info of infos.slice(1)) {
    for (const field of SUMMED) whole[field] += info[field];
    whole.latencyMs = Math.max(whole.latencyMs, info.latencyMs);
    whole.uptimeSeconds = Math.min(whole.uptimeSeconds, info.uptimeSeconds);
  }
  return whole;
};

const TEXTS = {
  restart: 'Restarted',
  failover: 'Another server took over',
  'counters-reset': 'Counters were reset',
  outage: 'Unreachable',
  recovered: 'Reachable again',
} as const;

/** Samples one connection once a second: publishes the second, and writes a span every ten. */
export class InfoProbe {
  private before: Reading | null = null;
  private carryOver: CarryOver = { hits: 0, misses: 0 };
  private span: Bucket[] = [];
  private out = false;
  /** The last server that answered; an outage does not forget it. */
  private last: Reading | null = null;
  private readonly handle: ConnectionHandle;
  private readonly store: Store;
  private readonly self: string;

  constructor(handle: ConnectionHandle, store: Store, self: string) {
    this.handle = handle;
    this.store = store;
    this.self = self;
  }

  /** One sample. Errors of the sampled Redis become a gap; errors of the store are thrown. */
  async sample(clock: () => number = Date.now): Promise<void> {
    const id = this.handle.config.id;
    const others = await othersTraffic(this.store, id, this.self);
    const { own: counted } = this.handle;
    let info: ServerInfo;
    let mine: ReturnType<typeof counted.snapshot>;
    try {
      [info, mine] = await counted.whileIdle(async () => [await readServer(this.handle), counted.snapshot()]);
    } catch (error) {
      await this.noteOutage(error, clock());
      return;
    }
    counted.commands += this.handle.topology.primaries().length;
    const own = {
      hits: mine.hits + others.hits,
      misses: mine.misses + others.misses,
      commands: mine.commands + others.commands,
    };
    const reading = { at: clock(), info, own };
    if (this.out) await this.noteReturn(reading);
    this.last = reading;
    await this.take(reading);
  }

  private async take(reading: Reading): Promise<void> {
    const { before } = this;
    this.before = reading;
    if (!before || reading.at - before.at > MAX_SPAN_MS) return this.startAnew();
    const change = delta(before, reading, this.carryOver);
    if (change.kind !== 'bucket') {
      await this.startAnew();
      await this.event(change.kind);
      return;
    }
    this.carryOver = change.carryOver;
    await this.keep(change.bucket);
    await this.publish({ bucket: change.bucket, figures: figuresOf(reading.info) }, reading.at);
  }

  /** Adds a second to its ten-second span; a span is written when the next one begins. */
  private async keep(bucket: Bucket): Promise<void> {
    const first = this.span[0];
    const startOf = (at: number): number => Math.floor(at / FINEST.stepMs);
    if (first && startOf(first.at) !== startOf(bucket.at)) await this.flush();
    this.span.push(bucket);
  }

  private async flush(): Promise<void> {
    const [span] = group(this.span, FINEST.stepMs);
    this.span = [];
    if (!span) return;
    const { id } = this.handle.config;
    await writeSpan(serverHistory, this.store, id, { resolution: FINEST, span });
    await rollUpSpans(serverHistory, this.store, id, span.at + FINEST.stepMs);
  }

  /** What was seen before says nothing of what comes: the carryOvers of then are none of now. */
  private startAnew(): Promise<void> {
    this.carryOver = { hits: 0, misses: 0 };
    return this.flush();
  }

  /** Another process looks at this server now, or nobody does: what it saw is not ours to see again. */
  async rest(): Promise<void> {
    this.before = null;
    await this.startAnew();
  }

  private async noteReturn(reading: Reading): Promise<void> {
    this.out = false;
    await this.event('recovered');
    const turn = this.last ? serverChange(this.last, reading) : 'same';
    if (turn !== 'same') await this.event(turn);
  }

  private async noteOutage(error: unknown, now: number): Promise<void> {
    this.before = null;
    this.carryOver = { hits: 0, misses: 0 };
    const reason = error instanceof Problem ? error.message : 'It does not answer.';
    // The server is there: that it does not tell its figures is said as often as figures are.
    if (isNotPermitted(error)) return this.publish({ gap: reason, at: now, notPermitted: true }, now);
    if (!this.out) {
      this.out = true;
      await this.flush();
      await this.event('outage');
    }
    // Each time, so that pages opened during the outage know of it.
    await this.publish({ gap: reason, at: now }, now);
  }

  private publish(sample: LiveSample, now: number): Promise<void> {
    return publishLive(this.store, this.handle.config.id, sample, now);
  }

  private event(kind: keyof typeof TEXTS): Promise<void> {
    return recordHistoryEvent(this.store, this.handle.config.id, { kind, text: TEXTS[kind] });
  }
}

const figuresOf = (info: ServerInfo) => ({
  maxMemoryBytes: info.maxMemoryBytes,
  keys: info.keys,
  keysWithTtl: info.keysWithTtl,
  evictedKeys: info.evicted,
  product: info.product,
  version: info.version,
});
