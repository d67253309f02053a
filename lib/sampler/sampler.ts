import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { readCensus, writeCensus } from '@/lib/history/census';
import { writeFamilyTtls } from '@/lib/history/family-ttls';
import { saveCounters } from '@/lib/hit-rates/counters';
import { HitRateProbe } from '@/lib/hit-rates/probe';
import { processId } from '@/lib/jobs/process';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { fingerprintOf } from '@/lib/keyspace/fingerprint';
import { logBroken } from '@/lib/log';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { releaseLease, takeLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { SingleFlight } from '@/lib/single-flight';
import { MINUTE, SECOND } from '@/lib/time';
import { writeNameIndexes } from '@/lib/values/name-index';
import { takePartAlways, walkIfDue } from '@/lib/walk/shared-walk';
import { CensusCollector, type Walked } from './census';
import { CounterProbe } from './counter-probe';
import { ExpiryWaves } from './expiry-waves';
import { InfoProbe } from './info-probe';
import { IpProbe } from './ip-probe';
import { MetricsProbe } from './metrics-probe';
import { deleteOldTraffic, OwnTrafficReport } from './own-traffic';
import { PresenceProbe } from './presence-probe';
import { QueueProbe } from './queue-probe';

const TICK_MS = SECOND;
const LEASE_MS = 5 * SECOND;
const LEASE = consoleFamilies.lease.key({ name: 'sampler' });

/** After a change of the catalog the keyspace is soon counted again: the catalog's page shows its coverage. */
const RECLASSIFY_MS = 3 * SECOND;

/** How often the keyspace is counted: less often the larger it is. */
const censusIntervalMs = (keys: number): number => {
  if (keys < 20_000) return 15 * SECOND;
  return keys < 500_000 ? 2 * MINUTE : 10 * MINUTE;
};

/** What samples one connection. */
const probesOf = (handle: ConnectionHandle, store: Store, self: string) => ({
  handle,
  info: new InfoProbe(handle, store, self),
  ownTraffic: new OwnTrafficReport(handle, self),
  windows: new HitRateProbe(handle, store),
  counters: new CounterProbe(handle, store),
  // Looked up each time, because a catalog file may change.
  waves: new ExpiryWaves(store, handle.config.id, { get: (id) => catalogOf(handle).get(id) }),
  callers: new IpProbe(handle, store),
  presence: new PresenceProbe(handle, store),
  queues: new QueueProbe(handle, store),
  metrics: new MetricsProbe(handle, store),
});
type Probes = ReturnType<typeof probesOf>;

/**
 * Samples every connection once a second. Every process runs a sampler, but only the one with the lease samples. The
 * others only report their own traffic.
 */
export class Sampler {
  private readonly stop = new AbortController();
  private readonly probes: readonly Probes[];
  /** Remove it from the walks. */
  private readonly ends: readonly (() => void)[];
  private readonly tasks = new SingleFlight<unknown>();
  private timer: NodeJS.Timeout | null = null;
  private busy = false;
  private isLeading = false;
  private reportedAt = 0;

  constructor(
    private readonly store: Store,
    private readonly handles: readonly ConnectionHandle[],
    private readonly self: string = processId(),
  ) {
    this.probes = handles.map((handle) => probesOf(handle, store, self));
    this.ends = this.probes.map((probes) => this.takePart(probes));
  }

  start(): void {
    this.timer = setInterval(() => void this.tick(), TICK_MS);
    void this.tick();
  }

  /** Runs once a second. Late ticks are skipped. A slow server delays neither the others nor the lease. */
  async tick(): Promise<void> {
    if (this.busy || this.stop.signal.aborted) return;
    this.busy = true;
    try {
      await Promise.all(this.probes.map(({ ownTraffic }) => ownTraffic.send(this.store)));
      await this.renewLease();
    } catch (error) {
      this.isLeading = false;
      this.report('the sampler', error);
    } finally {
      this.busy = false;
    }
    const samples = this.probes.map(({ handle, info }) =>
      this.run('the sampling', handle.config.id, () => (this.isLeading ? info.sample() : info.pause())),
    );
    for (const probes of this.probes) this.startBackground(probes);
    await Promise.all(samples);
  }

  /** Runs `work` for a connection unless it is still running. */
  private run(what: string, id: string, work: () => Promise<unknown>): Promise<unknown> {
    const name = `${what} of ${id}`;
    return this.tasks.run(name, () => work().catch((error: unknown) => this.report(name, error)));
  }

  private async renewLease(): Promise<void> {
    const wasLeading = this.isLeading;
    this.isLeading = await takeLease(this.store, LEASE, this.self, LEASE_MS);
    if (this.isLeading && !wasLeading)
      await Promise.all(this.handles.map((handle) => deleteOldTraffic(this.store, handle.config.id)));
  }

  /** Whether this process held the lease at its last tick. */
  get isLeader(): boolean {
    return this.isLeading;
  }

  /** Starts work that takes longer than a tick, without waiting for it. */
  private startBackground({ handle, counters, callers, queues, windows, presence, metrics }: Probes): void {
    const { id } = handle.config;
    const ready = this.isLeading && ['ready', 'degraded'].includes(handle.status().state);
    void this.run('the counters', id, () => (ready ? counters.tick() : counters.pause()));
    void this.run('the watch of callers', id, () => this.sample(callers, ready));
    void this.run('the queues', id, () => this.sample(queues, ready));
    if (!ready) return;
    void this.run('the census', id, () => this.countIfOld(handle));
    void this.run('a window', id, () => windows.tick(this.stop.signal));
    void this.run('the users online', id, () => presence.tick());
    void this.run('the metrics', id, () => metrics.tick());
  }

  private async sample(probe: IpProbe | QueueProbe, ready: boolean): Promise<void> {
    if (!this.isLeading) probe.pause();
    else if (ready) await probe.tick();
  }

  /**
   * Participates in each walk over the keys while the census is due, whoever started the walk. Only in the leading
   * process, which knows the keys due together at earlier counts.
   */
  private takePart({ handle, waves }: Probes): () => void {
    let collector: CensusCollector | undefined;
    return takePartAlways(handle, {
      part: 'census',
      isDue: async () => this.isLeading && (await this.isCensusDue(handle)),
      begin: () => {
        collector = new CensusCollector(handle);
        return collector;
      },
      done: () => this.save(handle.config.id, waves, collector!.finish()),
    });
  }

  private async isCensusDue(handle: ConnectionHandle): Promise<boolean> {
    const last = await readCensus(this.store, handle.config.id);
    if (!last) return true;
    const isOfThisCatalog = last.catalog === fingerprintOf(catalogOf(handle));
    const intervalMs = isOfThisCatalog ? censusIntervalMs(await handle.reader.size()) : RECLASSIFY_MS;
    return Date.now() - last.finishedAt >= intervalMs;
  }

  private async countIfOld(handle: ConnectionHandle): Promise<void> {
    if (await this.isCensusDue(handle)) await walkIfDue(handle);
  }

  private async save(id: string, waves: ExpiryWaves, walked: Walked): Promise<void> {
    await waves.check(Date.now());
    await writeCensus(this.store, id, walked.census);
    await writeFamilyTtls(this.store, id, walked.ttls);
    await saveCounters(this.store, id, walked.counters);
    await writeNameIndexes(this.store, id, walked.names);
  }

  /** An unreachable server is a gap and is tried again. Anything else is a bug and is logged, once a minute at most. */
  private report(what: string, error: unknown): void {
    if (error instanceof Problem || this.stop.signal.aborted) return;
    if (Date.now() - this.reportedAt < MINUTE) return;
    this.reportedAt = Date.now();
    logBroken(what, error);
  }

  /** Stops and releases the lease, so that another process takes over immediately. */
  async close(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stop.abort();
    for (const end of this.ends) end();
    await this.tasks.settled();
    if (this.isLeading)
      await Promise.allSettled(this.probes.flatMap(({ info, counters }) => [info.pause(), counters.pause()]));
    this.isLeading = false;
    await releaseLease(this.store, LEASE, this.self);
  }
}
