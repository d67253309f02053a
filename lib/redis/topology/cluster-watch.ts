import 'server-only';
import type { ConnectionConfig } from '@/lib/configuration';
import { SECOND } from '@/lib/time';
import { addressOf, type Client, connectTo, DEDICATED, endpointOf, serverAt } from '../client';
import { classify, describeFailure, knownFailure } from '../failure';
import { readShards, type Shard } from './slots';

/** Nodes do not tell their clients when a slot or a primary changes. */
const POLL_MS = 2 * SECOND;
/** The minimal interval between answers, when many keys ask for one. */
const SOON_MS = 100;
/** The limit for connecting, and for answering. */
const TIMEOUT_MS = SECOND;

const LIMITS = { ...DEDICATED, connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS };

/** Follows which primaries a cluster has and which slots they serve, for all clients of a connection. */
export class ClusterWatch {
  private readonly seeds: string[];
  private readonly natMap: ReadonlyMap<string, string>;
  /** The node that answered last. */
  private asked: { at: string; client: Client } | null = null;
  private asking: Promise<void> | null = null;
  private poll: NodeJS.Timeout | null = null;
  private askedAt = Number.NEGATIVE_INFINITY;
  /** The node to ask last next time. */
  private doubted: string | null = null;
  private failure: Error | null = null;
  private isClosed = false;
  shards: readonly Shard[] = [];

  constructor(
    private readonly config: ConnectionConfig,
    /** Called when the primaries or their slots have changed. */
    private readonly changed: (shards: readonly Shard[]) => void,
  ) {
    const { nodes, natMap } = config.cluster!;
    const place = (node: string) => serverAt(addressOf(`redis://${node}`));
    this.seeds = nodes.map(place);
    this.natMap = new Map(Object.entries(natMap ?? {}).map((pair) => pair.map(place) as [string, string]));
  }

  /** The address of a node from here, by the address the cluster uses. */
  fromHere(address: string): string {
    return this.natMap.get(address) ?? address;
  }

  /** Resolves once the primaries are known; rejects with the reason where no node names them. */
  async known(): Promise<void> {
    if (this.shards.length === 0) await this.refresh();
    if (this.shards.length === 0) throw this.failure!;
  }

  /** Asks again: first the node at an address, if given, because it knows best which slots it has received. */
  refresh(first?: string): Promise<void> {
    this.poll ??= setInterval(() => void this.refresh(), POLL_MS).unref();
    this.asking ??= this.ask(first).finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** Like `refresh`, unless the last answer is a moment old. */
  refreshSoon(first?: string): void {
    if (performance.now() - this.askedAt > SOON_MS) void this.refresh(first);
  }

  /** The last node to answer named an unusable primary: it may be cut off itself, so another node is asked. */
  doubt(): void {
    this.doubted = this.asked?.at ?? this.doubted;
    this.leave();
  }

  close(): void {
    this.isClosed = true;
    if (this.poll) clearInterval(this.poll);
    this.leave();
  }

  private leave(): void {
    this.asked?.client.close();
    this.asked = null;
  }

  private async ask(first?: string): Promise<void> {
    this.askedAt = performance.now();
    const named = [
      ...(first ? [first] : []),
      ...(this.asked ? [this.asked.at] : []),
      ...this.shards.map(({ address }) => this.fromHere(address)),
      ...this.seeds,
    ];
    const { doubted } = this;
    this.doubted = null;
    const places = doubted ? [...named.filter((at) => at !== doubted), doubted] : named;
    const reasons: [string, unknown][] = [];
    for (const at of new Set(places)) {
      if (this.isClosed) return;
      try {
        this.take(await this.read(at));
        return;
      } catch (error) {
        this.leave();
        reasons.push([at, error]);
      }
    }
    this.failure = unanswered(reasons);
  }

  private async read(at: string): Promise<Shard[]> {
    if (this.asked?.at !== at) {
      this.leave();
      this.asked = { at, client: connectTo(this.config, 'slots', { ...LIMITS, ...endpointOf(at) }) };
    }
    const { client } = this.asked;
    await client.ready(TIMEOUT_MS);
    const shards = await readShards(client.redis, at);
    // The node has left its cluster, or has not joined one.
    if (shards.length === 0) throw knownFailure('unreachable', 'it knows of no slots');
    return shards;
  }

  private take(shards: Shard[]): void {
    const isSame = JSON.stringify(shards) === JSON.stringify(this.shards);
    this.shards = shards;
    this.failure = null;
    if (!isSame) this.changed(shards);
  }
}

/** Why no node of a cluster answers: a refusal is more informative than an unreachable node. */
const unanswered = (reasons: readonly [string, unknown][]): Error => {
  const codeIn = (error: unknown) => classify(error)?.code ?? 'unreachable';
  const code =
    reasons.map(([, error]) => codeIn(error)).find((code) => code !== 'unreachable') ?? 'unreachable';
  const texts = reasons
    .filter(([, error]) => codeIn(error) === code)
    .map(([at, error]) => `${at}: ${describeFailure(error)}`);
  return knownFailure(code, `no node of its cluster can be used. ${texts.join('; ')}`);
};
