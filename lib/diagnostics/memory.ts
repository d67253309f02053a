import 'server-only';
import { mustStay } from '@/lib/keyspace/guarded';
import { agreed, sumOf } from '@/lib/redis/each-primary';
import { numberOf } from '@/lib/redis/info';
import { judgeMemoryLimit, MEMORY_LIMIT_FAULTS } from '@/lib/redis/limits';
import { findingsOf, type Optional, readSection } from '@/lib/redis/section';
import { readServer } from '@/lib/redis/server-reads';
import type { NodeInfo, Source } from './source';

const MEBIBYTE = 2 ** 20;
/** Below this, fragmentation and overhead are those of a nearly empty server. */
const MIN_BYTES = 100 * MEBIBYTE;
const MAX_FRAGMENTATION = 1.5;
/** If resident memory is below this share of used memory, the rest is swapped. */
const MIN_RESIDENT = 0.9;
const NEAR_LIMIT = 0.9;
const MAX_OVERHEAD = 0.5;

/** The reply of MEMORY STATS by name; nested maps, one per database, are left out. */
const statsOf = (reply: unknown): Map<string, number> => {
  const flat = reply as unknown[];
  const stats = new Map<string, number>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const value = flat[i + 1];
    if (Array.isArray(value)) continue;
    stats.set(String(flat[i]), Number(String(value)));
  }
  return stats;
};

const readNode = async ({ ctx }: Source, { node, fields }: NodeInfo, optional: Optional) => {
  const reply = await optional(readServer(ctx.connection, node, ['MEMORY', 'STATS']));
  return { fields, stats: reply === null ? null : statsOf(reply) };
};
type NodeMemory = Awaited<ReturnType<typeof readNode>>;

const shareOf = (percent: number | null): number | null => (percent === null ? null : percent / 100);

const ratioOf = (part: number | null, whole: number | null): number | null =>
  part === null || !whole ? null : part / whole;

/** A single server's own ratios; for several servers the ratios of their sums. */
const ratiosOf = (servers: readonly NodeMemory[]) => {
  const [{ fields, stats }, ...others] = servers as [NodeMemory, ...NodeMemory[]];
  if (others.length === 0)
    return {
      fragmentationRatio: numberOf(fields, 'mem_fragmentation_ratio'),
      datasetShare: shareOf(numberOf(fields, 'used_memory_dataset_perc')),
      bytesPerKey: stats && (stats.get('keys.bytes-per-key') ?? null),
    };
  const sum = (name: string) => sumOf(servers.map((server) => numberOf(server.fields, name)));
  const stat = (server: NodeMemory, name: string) => server.stats?.get(name) ?? null;
  const [used, startup] = [sum('used_memory'), sum('used_memory_startup')];
  const keys = (server: NodeMemory) => stat(server, 'keys.count');
  const ofKeys = (server: NodeMemory) => {
    const [count, bytes] = [keys(server), stat(server, 'keys.bytes-per-key')];
    return count === null || bytes === null ? null : count * bytes;
  };
  return {
    fragmentationRatio: ratioOf(sum('used_memory_rss'), used),
    datasetShare: ratioOf(
      sum('used_memory_dataset'),
      used === null || startup === null ? null : used - startup,
    ),
    bytesPerKey: ratioOf(sumOf(servers.map(ofKeys)), sumOf(servers.map(keys))),
  };
};

const findingsIn = ({ fields }: NodeMemory) => {
  const number = (name: string): number => numberOf(fields, name) ?? 0;
  const [used, rss, max] = [number('used_memory'), number('used_memory_rss'), numberOf(fields, 'maxmemory')];
  const isLarge = used >= MIN_BYTES;
  return {
    nearLimit: Boolean(max) && used >= NEAR_LIMIT * max!,
    fragmented:
      number('mem_fragmentation_ratio') > MAX_FRAGMENTATION && number('mem_fragmentation_bytes') >= MIN_BYTES,
    swapped: isLarge && rss > 0 && rss < MIN_RESIDENT * used,
    overhead: isLarge && number('used_memory_overhead') > MAX_OVERHEAD * used,
  };
};

/** Used memory, its parts, and how close the limit is: sums over all servers, and findings of any. */
export const readMemory = (source: Source) =>
  readSection(async (optional) => {
    const { nodes } = await source.info();
    const servers = await Promise.all(nodes.map((node) => readNode(source, node, optional)));
    const sum = (name: string) => sumOf(servers.map(({ fields }) => numberOf(fields, name)));
    const limits = servers.map(({ fields }) => numberOf(fields, 'maxmemory'));
    const figures = {
      usedBytes: sum('used_memory'),
      peakBytes: sum('used_memory_peak'),
      rssBytes: sum('used_memory_rss'),
      fragmentationBytes: sum('mem_fragmentation_bytes'),
      overheadBytes: sum('used_memory_overhead'),
      datasetBytes: sum('used_memory_dataset'),
      ...ratiosOf(servers),
      clientBytes: sumOf(servers.map(({ stats }) => stats && (stats.get('clients.normal') ?? null))),
      maxMemoryBytes: limits.includes(0) ? 0 : sumOf(limits),
      policy: agreed(servers.map(({ fields }) => fields.get('maxmemory_policy') ?? null)),
      evictedKeys: sum('evicted_keys'),
      evictedPerSecond: await source.perSecond('evicted'),
    };
    const findings = servers.map(findingsIn);
    const isAny = (name: keyof ReturnType<typeof findingsIn>) => findings.some((finding) => finding[name]);
    const lasting = mustStay(source.ctx.catalog);
    const ofLimits = servers.flatMap(({ fields }) => judgeMemoryLimit(fields, lasting));
    return {
      figures,
      findings: [
        ...MEMORY_LIMIT_FAULTS.filter((fault) => ofLimits.includes(fault)),
        ...findingsOf({
          nearLimit: isAny('nearLimit'),
          fragmented: isAny('fragmented'),
          swapped: isAny('swapped'),
          evicting: (figures.evictedPerSecond ?? 0) > 0,
          overhead: isAny('overhead'),
        }),
      ],
    };
  });
