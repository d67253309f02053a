import 'server-only';
import type { FigureSource } from '@/lib/figures/figure';
import { definer, droppedFigures, figuresOf } from '@/lib/figures/series';
import { readCensus } from '@/lib/history/census';
import { familyHitRates } from '@/lib/hit-rates/reads';
import { HOUR, MINUTE } from '@/lib/time';

/** Maximum number of families with figures per connection. */
export const MAX_FAMILIES = 500;
/** Shorter than the hour of the families page: Prometheus keeps the history, and alerts must not be late. */
const WINDOW_MS = 10 * MINUTE;

const NONE = { keys: 0, memoryBytes: 0, withoutTtl: 0 };

const define = definer({ labels: ['family'], permission: 'view' });
const defineOne = definer({ labels: [], permission: 'view' });

const LAST = 'in the last ten minutes, of the look-ups that were observed';

/** Keys per family at the last census, and their hit rates. */
export const cacheFigures: FigureSource = {
  // Allows for several censuses of the largest keyspace.
  maxAgeMs: HOUR,
  definitions: [
    define('family_keys', 'count', 'Keys of the family at the last count.'),
    define(
      'family_memory_bytes',
      'bytes',
      'Memory of the family at the last count, estimated from a sample.',
    ),
    define('family_keys_without_ttl', 'count', 'Keys of the family that never expire, at the last count.'),
    define(
      'family_hit_ratio',
      'ratio',
      `Hits of the look-ups of the family ${LAST}; absent for fewer than 20.`,
    ),
    define('family_hits_per_second', 'perSecond', `Hits of the family per second ${LAST}.`),
    define('family_misses_per_second', 'perSecond', `Misses of the family per second ${LAST}.`),
    defineOne('classified_keys', 'count', 'Keys that belong to a family, at the last count.'),
    defineOne(
      'unclassified_keys',
      'count',
      'Keys without a family, malformed ones included, at the last count.',
    ),
    defineOne(
      'hit_rate_coverage_ratio',
      'ratio',
      'Share of the look-ups in the windows of the last ten minutes that belong to families.',
    ),
  ],
  read: async ({ store, connection, catalog, now }) => {
    const { id } = connection.config;
    const [census, { families, coverage, windowSeconds: observedSeconds }] = await Promise.all([
      readCensus(store, id),
      familyHitRates(store, id, catalog, { from: now - WINDOW_MS, to: now }),
    ]);
    const own = catalog.families.filter(({ app, type }) => app !== 'console' && type !== 'channel');
    const shown = own.slice(0, MAX_FAMILIES);
    const counted = shown.flatMap((family) => {
      if (!census) return [];
      const { keys, memoryBytes, withoutTtl } = census.families[family.id] ?? NONE;
      return figuresOf({
        labels: { family: family.id },
        at: census.finishedAt,
        values: { family_keys: keys, family_memory_bytes: memoryBytes, family_keys_without_ttl: withoutTtl },
      });
    });
    const observed = shown.flatMap((family) => {
      const rates = families.get(family.id);
      const labels = { family: family.id };
      // Windows without look-ups of the family are a value, too: an alert on its misses can end.
      if (!rates && observedSeconds > 0)
        return figuresOf({
          labels,
          at: now,
          values: { family_hits_per_second: 0, family_misses_per_second: 0 },
        });
      if (!rates) return [];
      const { hits, hitRate, missesPerSecond, windowSeconds } = rates;
      return figuresOf({
        labels,
        at: rates.sampledAt ?? now,
        values: {
          family_hit_ratio: hitRate,
          family_hits_per_second: windowSeconds > 0 ? hits / windowSeconds : null,
          family_misses_per_second: missesPerSecond,
        },
      });
    });
    const figures = {
      classified_keys: census && Object.values(census.families).reduce((sum, { keys }) => sum + keys, 0),
      unclassified_keys: census && census.unclassified + census.malformed,
    };
    return [
      ...counted,
      ...observed,
      ...droppedFigures('family', own.length - shown.length, now),
      ...figuresOf({ labels: {}, at: census?.finishedAt ?? now, values: figures }),
      ...figuresOf({ labels: {}, at: now, values: { hit_rate_coverage_ratio: coverage } }),
    ];
  },
};
