import 'server-only';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { isProcessKnown } from '@/lib/redis/client';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { allReplies, type Store } from '@/lib/redis/store';
import type { Node } from '@/lib/redis/topology';
import { DAY } from '@/lib/time';

export type Totals = { hits: number; misses: number; commands: number };

/** The server of totals reported by an earlier version, which knew one node only. */
const ONLY_SERVER = '';

const NOTHING: Totals = { hits: 0, misses: 0, commands: 0 };

export const addTotals = (a: Totals, b: Totals): Totals => ({
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
  commands: a.commands + b.commands,
});

const growth = (from: Totals, to: Totals): Totals => ({
  hits: to.hits - from.hits,
  misses: to.misses - from.misses,
  commands: to.commands - from.commands,
});

const keyOf = (connection: string): Buffer => consoleFamilies.ownTraffic.key({ connection });

const SEPARATOR = '@';

const parse = (report: string): Totals & { at: number } => {
  const [hits = 0, misses = 0, commands = 0, at = 0] = report.split(':').map(Number);
  return { hits, misses, commands, at };
};

/**
 * Reports this process's own traffic to the sampling process: for each server (by its `run_id`) the totals since this
 * process first saw it.
 */
export class OwnTrafficReport {
  private readonly totals = new Map<string, Totals>();
  private readonly last = new WeakMap<Node, { server: string; counted: Totals }>();

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly self: string,
  ) {}

  async send(store: Store, now = Date.now()): Promise<void> {
    const servers = this.handle.topology.primaries().flatMap((node) => this.count(node) ?? []);
    if (servers.length === 0) return;
    const report = ({ hits, misses, commands }: Totals) => `${hits}:${misses}:${commands}:${now}`;
    const fields = servers.flatMap((server) => [
      this.self + SEPARATOR + server,
      report(this.totals.get(server) ?? NOTHING),
    ]);
    await store.use(async (redis) => {
      const key = keyOf(this.handle.config.id);
      allReplies(
        await redis
          .pipeline()
          .hset(key, ...fields)
          .pexpire(key, DAY)
          .exec(),
      );
    });
  }

  /** Adds the node's requests since the last report to its server. Null while the server is unknown. */
  private count(node: Node): string | null {
    const server = node.process();
    if (server === null || !isProcessKnown(server)) return null;
    const counted = node.own.snapshot();
    const last = this.last.get(node);
    this.last.set(node, { server, counted });
    // Just after a failover it is unknown which server received these requests: less than a second's traffic.
    if (last && last.server !== server) return server;
    const grown = growth(last?.counted ?? NOTHING, counted);
    this.totals.set(server, addTotals(this.totals.get(server) ?? NOTHING, grown));
    return server;
  }
}

/** Own traffic of the other processes, by server. */
export class OthersTraffic {
  private readonly byServer = new Map<string, Totals>();

  constructor(reports: Readonly<Record<string, string>>, self: string) {
    for (const [field, report] of Object.entries(reports)) {
      const [process, server = ONLY_SERVER] = field.split(SEPARATOR);
      if (process === self) continue;
      this.byServer.set(server, addTotals(this.on(server), parse(report)));
    }
  }

  private on(server: string): Totals {
    return this.byServer.get(server) ?? NOTHING;
  }

  /** Totals of ended processes stay, because the sum must not shrink. `isFirst`: whether it is the first primary. */
  of(server: string, isFirst: boolean): Totals {
    return isFirst ? addTotals(this.on(server), this.on(ONLY_SERVER)) : this.on(server);
  }
}

export const readOthersTraffic = (store: Store, connection: string, self: string): Promise<OthersTraffic> =>
  store.use(async (redis) => new OthersTraffic(await redis.hgetall(keyOf(connection)), self));

/**
 * Deletes the totals of processes that ended a day ago. Called only before the first reading: the sum must not shrink
 * between two.
 */
export const deleteOldTraffic = (store: Store, connection: string, now = Date.now()): Promise<void> =>
  store.use(async (redis) => {
    const totals = await redis.hgetall(keyOf(connection));
    const old = Object.keys(totals).filter((field) => now - parse(totals[field]!).at > DAY);
    if (old.length > 0) await redis.hdel(keyOf(connection), ...old);
  });
