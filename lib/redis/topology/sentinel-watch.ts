import 'server-only';
import { Redis } from 'ioredis';
import type { SentinelConfig } from '@/lib/configuration';
import { SECOND } from '@/lib/time';
import { addressOf, endpointOf, retryStrategy, serverAt } from '../client';
import { withoutArguments } from '../failure';
import { watchHandshakes } from '../handshake';
import { tlsOf } from '../tls';
import {
  askSentinel,
  type Named,
  newestOf,
  type SentinelAnswer,
  unnamed,
  unusable,
} from './sentinel-answers';

/** What Sentinels publish about a new primary: the Sentinel in charge at once, the others when they hear of it. */
const NEWS = ['+switch-master', '+promoted-slave'];
/** Covers lost news: a Sentinel that was cut off, or a user who may not subscribe. */
const POLL_MS = 2 * SECOND;
/** The limit for connecting, and for answering. */
const TIMEOUT_MS = SECOND;

class Sentinel {
  private readonly redis: Redis;
  /** Why it cannot be used; null where it can. */
  private failure: unknown = null;

  constructor(
    private readonly from: string,
    { name, username, password, tls }: SentinelConfig,
    heard: () => void,
  ) {
    const at = endpointOf(from);
    this.redis = new Redis({
      ...at,
      username: username ?? undefined,
      password: password ?? undefined,
      ...(tls && { tls: tlsOf(tls, at.host) }),
      // With RESP3, a subscribed connection may also send commands. A Sentinel without RESP3 is only polled.
      protocol: 3,
      lazyConnect: true,
      enableReadyCheck: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      connectTimeout: TIMEOUT_MS,
      commandTimeout: TIMEOUT_MS,
      disconnectTimeout: 0,
      retryStrategy,
      connectionName: 'keyward-sentinel',
    });
    const { redis } = this;
    const duringHandshake = watchHandshakes(redis);
    redis.on('error', (error: unknown) => {
      this.failure = withoutArguments(redis.status === 'ready' ? error : duringHandshake(error));
    });
    redis.on('ready', () => {
      this.failure = null;
      const { condition } = redis as unknown as { condition: { protocol: number } };
      if (condition.protocol === 3) redis.subscribe(...NEWS).catch(() => undefined);
      heard();
    });
    redis.on('message', (_channel: string, text: string) => {
      if (text.split(' ').includes(name)) heard();
    });
  }

  async ask(name: string): Promise<SentinelAnswer> {
    const { from, redis } = this;
    if (this.failure && redis.status !== 'ready') return { from, error: this.failure };
    try {
      const named = await askSentinel(redis, name);
      return named ? { from, ...named } : { from, named };
    } catch (error) {
      // A Sentinel on a lost host does not close its connection.
      if (/timed out/.test(String(error)) && redis.status === 'ready') {
        this.failure = error;
        redis.disconnect(true);
      }
      return { from, error: this.failure ?? withoutArguments(error) };
    }
  }

  close(): void {
    this.redis.disconnect();
  }
}

/** Follows the primary that Sentinels name, for all clients of a connection or of the store. */
export class SentinelWatch {
  private readonly sentinels: Sentinel[];
  private readonly natMap: ReadonlyMap<string, string>;
  private answers: SentinelAnswer[] = [];
  private newest: Named | null = null;
  private asking: Promise<void> | null = null;
  private poll: NodeJS.Timeout | null = null;
  /** Addresses at which a primary was used. */
  private readonly used = new Set<string>();

  constructor(
    private readonly config: SentinelConfig,
    /** Called with the primary's new address. */
    private readonly moved: (address: string) => void,
  ) {
    const place = (node: string) => serverAt(addressOf(`redis://${node}`));
    const heard = () => void this.askAgain();
    this.sentinels = config.nodes.map((node) => new Sentinel(place(node), config, heard));
    this.natMap = new Map(
      Object.entries(config.natMap ?? {}).map((pair) => pair.map(place) as [string, string]),
    );
  }

  /** The address of the primary, from here. Rejects with the reason where no Sentinel names one. */
  async primary(): Promise<string> {
    this.poll ??= setInterval(() => void this.ask(), POLL_MS).unref();
    await this.ask();
    const named = newestOf(this.answers);
    if (!named) throw unnamed(this.config.name, this.answers);
    return this.fromHere(named);
  }

  /** The primary at an address was reached. */
  reached(address: string): void {
    this.used.add(address);
  }

  /** Why the primary at an address cannot be used; `text` is null for a replica. */
  unusable(address: string, text: string | null): Error {
    return unusable({ address, text, wasUsed: this.used.has(address) }, this.answers);
  }

  close(): void {
    if (this.poll) clearInterval(this.poll);
    for (const sentinel of this.sentinels) sentinel.close();
  }

  private fromHere({ address }: Named): string {
    return this.natMap.get(address) ?? address;
  }

  private ask(): Promise<void> {
    this.asking ??= this.askAll().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** An answer under way may predate the news. */
  private async askAgain(): Promise<void> {
    await this.asking;
    await this.ask();
  }

  private async askAll(): Promise<void> {
    this.answers = await Promise.all(this.sentinels.map((sentinel) => sentinel.ask(this.config.name)));
    const named = newestOf(this.answers);
    const before = this.newest;
    // The newest Sentinel may be unreachable: no client leaves a primary for one with an older config epoch.
    if (!named || (before && named.epoch < before.epoch)) return;
    this.newest = named;
    if (before?.address !== named.address) this.moved(this.fromHere(named));
  }
}
