import 'server-only';
import { numberOf } from '@/lib/redis/info';
import { findingsOf, readSection } from '@/lib/redis/section';
import { readServer } from '@/lib/redis/server-reads';
import type { Source } from './source';

const MEBIBYTE = 2 ** 20;
/** Below this, fragmentation and overhead are those of an almost empty server. */
const MIN_BYTES = 100 * MEBIBYTE;
const MAX_FRAGMENTATION = 1.5;
/** Resident memory below this share of the used memory: the rest is swapped. */
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

/** Used memory, what it consists of, and how near the limit is. */
export const readMemory = (source: Source) =>
  readSection(async (optional) => {
    const { fields } = await source.info();
    const number = (name: string): number | null => numberOf(fields, name);
    const reply = await optional(readServer(source.ctx.connection, ['MEMORY', 'STATS']));
    const stats = reply === null ? null : statsOf(reply);
    const figures = {
      usedBytes: number('used_memory'),
      peakBytes: number('used_memory_peak'),
      rssBytes: number('used_memory_rss'),
      fragmentationRatio: number('mem_fragmentation_ratio'),
      fragmentationBytes: number('mem_fragmentation_bytes'),
      overheadBytes: number('used_memory_overhead'),
      datasetBytes: number('used_memory_dataset'),
      datasetShare: shareOf(number('used_memory_dataset_perc')),
      clientBytes: stats && (stats.get('clients.normal') ?? null),
      bytesPerKey: stats && (stats.get('keys.bytes-per-key') ?? null),
      maxMemoryBytes: number('maxmemory'),
      policy: fields.get('maxmemory_policy') ?? null,
      evictedKeys: number('evicted_keys'),
      evictedPerSecond: await source.perSecond('evicted'),
    };
    const { maxMemoryBytes, fragmentationRatio, fragmentationBytes, overheadBytes } = figures;
    const usedBytes = figures.usedBytes ?? 0;
    const rssBytes = figures.rssBytes ?? 0;
    const isLarge = usedBytes >= MIN_BYTES;
    return {
      figures,
      findings: findingsOf({
        nearLimit: Boolean(maxMemoryBytes) && usedBytes >= NEAR_LIMIT * maxMemoryBytes!,
        noLimit: maxMemoryBytes === 0,
        fragmented: (fragmentationRatio ?? 0) > MAX_FRAGMENTATION && (fragmentationBytes ?? 0) >= MIN_BYTES,
        swapped: isLarge && rssBytes > 0 && rssBytes < MIN_RESIDENT * usedBytes,
        evicting: (figures.evictedPerSecond ?? 0) > 0,
        overhead: isLarge && (overheadBytes ?? 0) > MAX_OVERHEAD * usedBytes,
      }),
    };
  });

const shareOf = (percent: number | null): number | null => (percent === null ? null : percent / 100);
