import 'server-only';
import { Problem } from '@/lib/errors';
import { type Bucket, group } from '@/lib/history/bucket';
import { recordHistoryEvent } from '@/lib/history/events';
import { writeNodeFigures } from '@/lib/history/node-figures';
import { type LiveSample, publishLive } from '@/lib/history/points';
import type { HistoryEvent } from '@/lib/history/schema';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, rollUpSpans, writeSpan } from '@/lib/history/spans';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { isNotPermitted } from '@/lib/redis/failure';
import type { ServerInfo } from '@/lib/redis/info';
import type { Store } from '@/lib/redis/store';
import type { Node } from '@/lib/redis/topology';
import type { Reading } from './delta';
import { type NodeEvent, NodeProbe, type NodeSample } from './node-probe';
import { readOthersTraffic } from './own-traffic';

const FINEST = RESOLUTIONS[0];

const COUNTS = ['hits', 'misses', 'commands', 'evicted', 'expired', 'netInBytes', 'netOutBytes'] as const;

/** All nodes as one server: counts of nodes with an earlier reading, gauges of all that answered, the maximum latency. */
const joined = (buckets: readonly Bucket[], infos: readonly ServerInfo[]): Bucket => {
  const sum = <T>(items: readonly T[], of: (item: T) => number) =>
    items.reduce((total, item) => total + of(item), 0);
  const counts = COUNTS.map((name) => [name, sum(buckets, (bucket) => bucket[name])]);
  return {
    ...(Object.fromEntries(counts) as Record<(typeof COUNTS)[number], number>),
    at: Math.max(...buckets.map(({ at }) => at)),
    observedMs: Math.max(...buckets.map(({ observedMs }) => observedMs)),
    usedMemoryBytes: sum(infos, (info) => info.usedMemoryBytes),
    connectedClients: sum(infos, (info) => info.connectedClients),
    latencyMs: Math.max(...infos.map(({ latencyMs }) => latencyMs)),
  };
};

const figuresOf = (infos: readonly ServerInfo[]) => {
  const sum = (of: (info: ServerInfo) => number) => infos.reduce((total, info) => total + of(info), 0);
  const isLimited = infos.every(({ maxMemoryBytes }) => maxMemoryBytes > 0);
  return {
    maxMemoryBytes: isLimited ? sum((info) => info.maxMemoryBytes) : 0,
    keys: sum((info) => info.keys),
    keysWithTtl: sum((info) => info.keysWithTtl),
    evictedKeys: sum((info) => info.evicted),
    product: infos[0]!.product,
    version: infos[0]!.version,
  };
};

/** The mark and the text for an event of a node. */
const MARKS = {
  restart: ['restart', 'Restarted'],
  moved: ['failover', 'Another server took over'],
  demoted: ['failover', 'Became a replica'],
  promoted: ['failover', 'Became the primary'],
  'counters-reset': ['counters-reset', 'Counters reset'],
  outage: ['outage', 'Unreachable'],
  recovered: ['recovered', 'Reachable again'],
  added: ['node-added', 'Node added'],
  removed: ['node-removed', 'Node removed'],
} as const satisfies Record<NodeEvent | 'added' | 'removed', readonly [HistoryEvent['kind'], string]>;

/** These events name the address even on a connection with one node. */
const ALWAYS_NAMED: readonly string[] = ['failover', 'node-added', 'node-removed'];

/** Samples one connection every second: publishes each second and writes a span every ten. */
export class InfoProbe {
  private readonly nodes = new Map<Node, NodeProbe>();
  /** Whether `nodes` are those of the previous sample. */
  private isFollowing = false;
  private span: Bucket[] = [];

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly store: Store,
    private readonly self: string,
  ) {}

  /** Takes one sample. Errors of the sampled Redis become a gap; errors of the store are thrown. */
  async sample(clock: () => number = Date.now): Promise<void> {
    const { id } = this.handle.config;
    const others = await readOthersTraffic(this.store, id, this.self);
    // Before a cluster was reached its primaries are unknown; afterwards none of them counts as added.
    const unknown = await knownPrimaries(this.handle).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (unknown) return this.publishGap([unknown], clock());
    await this.follow();
    const probes = [...this.nodes.values()];
    const samples = await Promise.all(probes.map((probe, i) => probe.sample(others, i === 0, clock)));
    const readings = samples.flatMap(({ reading }) => reading ?? []);
    for (const [i, { events }] of samples.entries())
      for (const kind of events) await this.event(kind, probes[i]!.address);
    if (readings.length === 0) await this.publishGap(samples, clock());
    else await this.publishFigures(samples, readings);
    await writeNodeFigures(
      this.store,
      id,
      probes.flatMap((probe) => probe.figures() ?? []),
    );
  }

  /** Starts sampling added nodes and stops for removed ones. */
  private async follow(): Promise<void> {
    const now = this.handle.topology.primaries();
    const gone = [...this.nodes].filter(([node]) => !now.includes(node));
    for (const [node, probe] of gone) {
      this.nodes.delete(node);
      if (this.isFollowing) await this.event('removed', probe.address);
    }
    for (const node of now.filter((node) => !this.nodes.has(node))) {
      const probe = new NodeProbe(this.handle.config.id, node);
      this.nodes.set(node, probe);
      if (this.isFollowing) await this.event('added', probe.address);
    }
    this.isFollowing = true;
  }

  private async publishFigures(samples: readonly NodeSample[], readings: readonly Reading[]): Promise<void> {
    const buckets = samples.flatMap(({ bucket }) => bucket ?? []);
    if (buckets.length === 0) return this.flush();
    const infos = readings.map(({ info }) => info);
    const bucket = joined(buckets, infos);
    await this.add(bucket);
    await this.publish({ bucket, figures: figuresOf(infos) }, bucket.at);
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

  /** Called when another process samples this connection, or none does. */
  async pause(): Promise<void> {
    this.isFollowing = false;
    for (const probe of this.nodes.values()) probe.pause();
    await this.flush();
  }

  /** No node answers. Published each time, for pages opened during the outage. */
  private async publishGap(samples: readonly Pick<NodeSample, 'error'>[], now: number): Promise<void> {
    const errors = samples.map(({ error }) => error);
    const error = errors.find((candidate) => !isNotPermitted(candidate)) ?? errors[0];
    const reason = error instanceof Problem ? error.message : 'It does not answer.';
    // The servers answer but refuse INFO: published every second, like figures.
    if (isNotPermitted(error)) return this.publish({ gap: reason, at: now, notPermitted: true }, now);
    await this.flush();
    await this.publish({ gap: reason, at: now }, now);
  }

  private publish(sample: LiveSample, now: number): Promise<void> {
    return publishLive(this.store, this.handle.config.id, sample, now);
  }

  private event(event: keyof typeof MARKS, address: string): Promise<void> {
    const [kind, what] = MARKS[event];
    const isNamed = this.nodes.size > 1 || ALWAYS_NAMED.includes(kind);
    const text = isNamed ? `${what}: ${address}` : what;
    return recordHistoryEvent(this.store, this.handle.config.id, { kind, text });
  }
}
