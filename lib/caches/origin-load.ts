import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { hitRate } from '@/lib/history/bucket';
import { readCensus } from '@/lib/history/census';
import type { FamilyCount } from './count';
import { presentHitRates } from './hit-rates/reads';

export interface OriginLoad {
  hitRate: number | null;
  /** Reads that the keys answer now, and that the origin would have to; a second. */
  expectedMissesPerSecond: number | null;
}

/**
 * What the origin would have to answer if these keys went: of the hits of each family (the last hour's) the share that
 * its keys have in the family. Families of which nothing is known are left out; null where that is all of them.
 */
export const originLoad = async (ctx: ReadContext, reached: readonly FamilyCount[]): Promise<OriginLoad> => {
  const { id } = ctx.connection.config;
  const [rates, census] = await Promise.all([
    presentHitRates(ctx.store, id, ctx.catalog, ctx.now()),
    readCensus(ctx.store, id),
  ]);
  const known = reached.flatMap(({ family, keys }) => {
    const figures = family === null ? undefined : rates.get(family);
    if (!figures?.windowSeconds) return [];
    const inAll = Math.max(keys, census?.families[family!]?.keys ?? keys);
    const share = inAll > 0 ? keys / inAll : 0;
    return [{ ...figures, load: (figures.hits / figures.windowSeconds) * share }];
  });
  if (known.length === 0) return { hitRate: null, expectedMissesPerSecond: null };
  const sum = (of: (row: (typeof known)[number]) => number) => known.reduce((all, row) => all + of(row), 0);
  return {
    hitRate: hitRate(
      sum(({ hits }) => hits),
      sum(({ misses }) => misses),
    ),
    expectedMissesPerSecond: Math.round(sum(({ load }) => load) * 100) / 100,
  };
};
