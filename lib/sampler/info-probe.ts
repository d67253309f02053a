import 'server-only';
import { Problem } from '@/lib/errors';
import { type Bucket, group } from '@/lib/history/bucket';
import { recordHistoryEvent } from '@/lib/history/events';
import { type LiveSample, publishLive } from '@/lib/history/live';
import { RESOLUTIONS, rollUp, writeBucket } from '@/lib/history/store';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readInfo, type ServerInfo } from '@/lib/redis/info';
import type { Store } from '@/lib/redis/store';
import { type Debt, delta, type Reading } from './delta';
import { othersTraffic } from './own-traffic';

const FINEST = RESOLUTIONS[0];

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
  }
  return whole;
};

/** Samples one connection once a second: publishes the second, and writes a span every ten. */
export class InfoProbe {
  private before: Reading | null = null;
  private debt: Debt = { hits: 0, misses: 0 };
  private span: Bucket[] = [];
  private out = false;
  private readonly handle: ConnectionHandle;
  private readonly store: Store;
  private readonly self: string;

  constructor(handle: ConnectionHandle, store: Store, self: string) {
    this.handle = handle;
    this.store = store;
    this.self = self;
  }

  /** One sample. Errors of the sampled Redis become a gap; errors of the store are thrown. */
  async sample(now: number): Promise<void> {
    const id = this.handle.config.id;
    const others = await othersTraffic(this.store, id, this.self);
    let info: ServerInfo;
    try {
      info = await readServer(this.handle);
    } catch (error) {
      await this.noteOutage(error, now);
      return;
    }
    // Replies come in order: what was answered before this INFO is in it, what was not is not.
    const mine = this.handle.own.snapshot();
    const own = {
      hits: mine.hits + others.hits,
      misses: mine.misses + others.misses,
      commands: mine.commands + others.commands,
    };
    if (this.out) await this.event('recovered', 'Reachable again');
    this.out = false;
    await this.take({ at: now, info, own });
  }

  private async take(reading: Reading): Promise<void> {
    const { before } = this;
    this.before = reading;
    if (!before) return;
    const change = delta(before, reading, this.debt);
    if (change.kind !== 'bucket') {
      this.debt = { hits: 0, misses: 0 };
      await this.flush();
      await this.event(change.kind, change.kind === 'restart' ? 'Restarted' : 'Counters were reset');
      return;
    }
    this.debt = change.debt;
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
    await writeBucket(this.store, this.handle.config.id, FINEST, span);
    await rollUp(this.store, this.handle.config.id, span.at + FINEST.stepMs);
  }

  private async noteOutage(error: unknown, now: number): Promise<void> {
    this.before = null;
    this.debt = { hits: 0, misses: 0 };
    if (this.out) return;
    this.out = true;
    await this.flush();
    const reason = error instanceof Problem ? error.message : 'It does not answer.';
    await this.event('outage', 'Unreachable');
    await this.publish({ gap: reason, at: now }, now);
  }

  private publish(sample: LiveSample, now: number): Promise<void> {
    return publishLive(this.store, this.handle.config.id, sample, now);
  }

  private event(kind: 'restart' | 'outage' | 'recovered' | 'counters-reset', text: string): Promise<void> {
    return recordHistoryEvent(this.store, this.handle.config.id, { kind, text });
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
