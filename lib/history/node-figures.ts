import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { MINUTE, SECOND } from '@/lib/time';

/** The applications' traffic on one node during its last minute, without the console's own. */
const nodeFigures = z.object({
  /** The `run_id` of its server. */
  process: z.string(),
  /** Epoch ms. */
  at: z.number(),
  /** 0–1; null where there were too few look-ups. */
  hitRate: z.number().nullable(),
  opsPerSecond: z.number().nullable(),
});
export type NodeFigures = z.output<typeof nodeFigures>;

const KEPT_MS = MINUTE;
/** Older figures are not shown as current ones. */
const MAX_AGE_MS = 10 * SECOND;

const keyOf = (connection: string): Buffer => consoleFamilies.nodeFigures.key({ connection });

export const writeNodeFigures = (
  store: Store,
  connection: string,
  figures: readonly NodeFigures[],
): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(connection), JSON.stringify(figures), 'PX', KEPT_MS);
  });

/** The current figures of each node, by its `run_id`. */
export const readNodeFigures = (
  store: Store,
  connection: string,
  now: number,
): Promise<Map<string, NodeFigures>> =>
  store.use(async (redis) => {
    const figures = parseStored(z.array(nodeFigures), await redis.get(keyOf(connection))) ?? [];
    return new Map(
      figures.filter(({ at }) => now - at <= MAX_AGE_MS).map((figure) => [figure.process, figure]),
    );
  });
