import 'server-only';
import { Problem } from '@/lib/errors';
import { type Bucket, group } from '@/lib/history/bucket';
import { recordHistoryEvent } from '@/lib/history/events';
import { type LiveSample, publishLive } from '@/lib/history/live';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, rollUpSpans, writeSpan } from '@/lib/history/spans';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted } from '@/lib/redis/failure';
import type { ServerInfo } from '@/lib/redis/info';
import { readInfo } from '@/lib/redis/node-info';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { type CarryOver, delta, type Reading, serverChange } from './delta';
import { othersTraffic } from './own-traffic';

const FINEST = RESOLUTIONS[0];
/** A longer pause between two readings is a gap, not one long span. */
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

/** INFO of all primaries as one server: counters and gauges are summed, latency is the maximum. */
const readServer = async (handle: ConnectionHandle): Promise<ServerInfo> => {
  const infos = await Promise.all(
    handle.topology.primaries().map((node) => readInfo(handle.config.id, node)),
  );
  handle.own.commands += infos.length;
  const total = { ...infos[0]!, runId: infos.map((info) => info.runId).join('+') };
  for (const info of infos.slice(1)) {
    for (const field of SUMMED) total[field] += info[field];
    total.latencyMs = Math.max(total.latencyMs, info.latencyMs);
    total.uptimeSeconds = Math.min(total.uptimeSeconds, info.uptimeSeconds);
  }
  return total;
};

const TEXTS = {
  restart: 'Restarted',
  failover: 'Another server took over',
  'counters-reset': 'Counters reset',
  outage: 'Unreachable',
  recovered: 'Reachable again',
} as const;

/** Samples one connection every second: publishes each second and writes a span every ten. */
export class InfoProbe {
  private before: Reading | null = null;
  private carryOver: CarryOver = { hits: 0, misses: 0 };
  private span: Bucket[] = [];
  private isOut = false;
  /** The last reading, also from before an outage. */
  private last: Reading | null = null;
  private readonly handle: ConnectionHandle;
  private readonly store: Store;
  private readonly self: string;

  constructor(handle: ConnectionHandle, store: Store, self: string) {
    this.handle = handle;
    this.store = store;
    this.self = self;
  }

  /** Takes one sample. Errors of the sampled Redis become a gap; errors of the store are thrown. */
  async sample(clock: () => number = Date.now): Promise<void> {
    const id = this.handle.config.id;
    const others = await othersTraffic(this.store, id, this.self);
    const { own: counted } = this.handle;
    let info: ServerInfo;
    let ownNow: ReturnType<typeof counted.snapshot>;
    try {
      [info, ownNow] = await counted.whileIdle(async () => [
        await readServer(this.handle),
        counted.snapshot(),
      ]);
    } catch (error) {
      await this.noteOutage(error, clock());
      return;
    }
    counted.commands += this.handle.topology.primaries().length;
    const own = {
      hits: ownNow.hits + others.hits,
      misses: ownNow.misses + others.misses,
      commands: ownNow.commands + others.commands,
    };
    const reading = { at: clock(), info, own };
    if (this.isOut) await this.noteReturn(reading);
    this.last = reading;
    await this.take(reading);
  }

  private async take(reading: Reading): Promise<void> {
    const { before } = this;
    this.before = reading;
    if (!before || reading.at - before.at > MAX_SPAN_MS) return this.startOver();
    const change = delta(before, reading, this.carryOver);
    if (change.kind !== 'bucket') {
      await this.startOver();
      await this.event(change.kind);
      return;
    }
    this.carryOver = change.carryOver;
    await this.add(change.bucket);
    await this.publish({ bucket: change.bucket, figures: figuresOf(reading.info) }, reading.at);
  }

  /** Adds a second to its ten-second span. A span is written when the next one starts. */
  private async add(bucket: Bucket): Promise<void> {
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

  /** Writes the span so far and drops the carry-over, which belongs to the earlier counters. */
  private startOver(): Promise<void> {
    this.carryOver = { hits: 0, misses: 0 };
    return this.flush();
  }

  /** Another process samples this server now, or none does. */
  async pause(): Promise<void> {
    this.before = null;
    await this.startOver();
  }

  private async noteReturn(reading: Reading): Promise<void> {
    this.isOut = false;
    await this.event('recovered');
    const change = this.last ? serverChange(this.last, reading) : 'same';
    if (change !== 'same') await this.event(change);
  }

  private async noteOutage(error: unknown, now: number): Promise<void> {
    this.before = null;
    this.carryOver = { hits: 0, misses: 0 };
    const reason = error instanceof Problem ? error.message : 'It does not answer.';
    // The server answers but refuses INFO: published every second, like figures.
    if (isNotPermitted(error)) return this.publish({ gap: reason, at: now, notPermitted: true }, now);
    if (!this.isOut) {
      this.isOut = true;
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
