import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { type History, RESOLUTIONS, readSteps, rollUpSpans, writeSpan } from '@/lib/history/spans';
import { groupTimed } from '@/lib/history/timed-stream';
import type { Store } from '@/lib/redis/store';
import { iso, SECOND } from '@/lib/time';
import type { trafficContracts } from './schema';

/** Sizes of the collector's sets; null where unknown. */
const sizesSchema = z.object({
  /** Epoch ms. */
  at: z.number(),
  blockedProjects: z.number().nullable(),
  blacklistedIps: z.number().nullable(),
  limitedProjects: z.number().nullable(),
});
export type Sizes = z.output<typeof sizesSchema>;

const guardHistory: History<Sizes> = {
  key: (connection, resolution) => consoleFamilies.guardHistory.key({ connection, resolution }),
  kept: sizesSchema.omit({ at: true }),
  // These are levels, not counts: a step has the values of its last sample.
  join: (before, next) => ({ ...next, at: before.at }),
};

const FINEST = RESOLUTIONS[0];

/** How often sizes are recorded, ms. */
export const SIZES_EVERY_MS = FINEST.stepMs;

/** Records one sample; a second one in the same step is ignored. */
export const recordSizes = async (store: Store, connection: string, sizes: Sizes): Promise<void> => {
  const [span] = groupTimed([sizes], FINEST.stepMs, guardHistory.join);
  await writeSpan(guardHistory, store, connection, { resolution: FINEST, span: span! });
  await rollUpSpans(guardHistory, store, connection, sizes.at);
};

/** guard.history: a step in which nothing was sampled has no point. */
export const readGuardHistory = async (
  ctx: ReadContext,
  { from, to, stepSeconds }: Input<typeof trafficContracts.history>,
): Promise<Result<typeof trafficContracts.history>> => {
  const range = { from: Date.parse(from), to: Date.parse(to), stepMs: stepSeconds * SECOND, now: ctx.now() };
  const { spans, stepMs } = await readSteps(guardHistory, ctx.store, ctx.connection.config.id, range);
  return { points: spans.map((each) => ({ ...each, at: iso(each.at) })), stepSeconds: stepMs / SECOND };
};
