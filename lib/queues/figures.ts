import 'server-only';
import type { FigureSource } from '@/lib/figures/figure';
import { boundedFigures, definer } from '@/lib/figures/series';
import { displayKey } from '@/lib/keyspace/display';
import { ratesOf } from './history';
import { MAX_AGE_MS, readStates } from './states';

/** Queues of a connection that have figures: as many as are sampled. */
const MAX_QUEUES = 200;

const define = definer({ labels: ['queue'], permission: 'live:view' });

/** Queues as they were last sampled, by the masked names of their keys. */
export const queueFigures: FigureSource = {
  definitions: [
    define(
      'queue_length',
      'count',
      'Elements that wait in the queue; of a stream with groups those that the group furthest behind has not acknowledged.',
    ),
    define(
      'queue_added_per_second',
      'perSecond',
      'Elements added to the queue per second in the last minute; where samples cannot be compared, at least so many.',
    ),
    define(
      'queue_taken_per_second',
      'perSecond',
      'Elements taken from the queue per second in the last minute.',
    ),
  ],
  read: async ({ store, connection, catalog, now }) => {
    const { sampledAt, byId } = await readStates(store, connection.config.id);
    if (sampledAt === null || now - sampledAt > MAX_AGE_MS) return [];
    const rows = [...byId.values()].map((state) => {
      const { inPerSecond, outPerSecond } = ratesOf(state);
      return {
        labels: { queue: displayKey(state.key, catalog) },
        at: sampledAt,
        values: {
          queue_length: state.length,
          queue_added_per_second: inPerSecond,
          queue_taken_per_second: outPerSecond,
        },
      };
    });
    rows.sort((a, b) => (a.labels.queue < b.labels.queue ? -1 : 1));
    return boundedFigures('queue', rows, { max: MAX_QUEUES, at: now });
  },
};
