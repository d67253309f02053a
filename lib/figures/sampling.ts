import 'server-only';
import { readCensus } from '@/lib/history/census';
import { readLive } from '@/lib/history/points';
import { newestSpanAt } from '@/lib/hit-rates/spans';
import { MINUTE, SECOND } from '@/lib/time';
import type { FigureSource } from './figure';
import { DROPPED, definer, figuresOf } from './series';

const define = definer({ labels: [], permission: 'view' });

/** What the console knows, and how old it is: also while the Redis is unreachable. */
export const samplingFigures: FigureSource = {
  alsoWhenDown: true,
  definitions: [
    define('sampled_ratio', 'ratio', 'Share of the last minute that was sampled; the rest are gaps.'),
    define('census_age_seconds', 'seconds', 'Time since the keys were last counted.'),
    define('hit_rate_window_age_seconds', 'seconds', 'Time since the last window of hit rates by family.'),
    DROPPED,
  ],
  read: async ({ store, connection, now }) => {
    const { id } = connection.config;
    const [live, census, window] = await Promise.all([
      readLive(store, id, now - MINUTE),
      readCensus(store, id),
      newestSpanAt(store, id, 'sample'),
    ]);
    const observedMs = live.reduce(
      (sum, { sample }) => sum + ('bucket' in sample ? sample.bucket.observedMs : 0),
      0,
    );
    const since = (at: number | null | undefined) => (at ? Math.max(0, now - at) / SECOND : null);
    return figuresOf({
      labels: {},
      at: now,
      values: {
        sampled_ratio: Math.min(1, observedMs / MINUTE),
        census_age_seconds: since(census?.finishedAt),
        hit_rate_window_age_seconds: since(window),
      },
    });
  },
};
