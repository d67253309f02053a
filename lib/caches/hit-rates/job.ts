import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import type { Outcome } from '@/lib/command/define';
import { hitRate } from '@/lib/history/bucket';
import { writeSpan } from '@/lib/history/hit-rates';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import { hitRateContracts } from './schema';
import { noteLast } from './state';
import { coverageOf, spanOf, takeWindow } from './take';
import type { WindowTally } from './tally';

const payload = z.strictObject({
  seconds: z.number(),
  presents: z.record(z.string(), z.string()).nullable(),
});

const resultOf = (tally: WindowTally): Record<string, unknown> => ({
  families: Object.entries(tally.families)
    .map(([family, { hits, misses }]) => ({ family, hits, misses, hitRate: hitRate(hits, misses) }))
    .sort((a, b) => b.misses - a.misses),
  notAttributed: { ...tally.notAttributed, reasons: tally.reasons },
  hits: tally.total.hits,
  misses: tally.total.misses,
  coverage: coverageOf(tally),
  windowSeconds: tally.seconds,
  cutShort: tally.cutShort,
});

const run = async (
  ctx: JobContext,
  { seconds, presents }: z.output<typeof payload>,
): Promise<Outcome<Record<string, unknown>>> => {
  const { connection, store, catalog, auditId } = ctx;
  const at = ctx.now();
  const consent = presents && { by: actorLabel(ctx.actor), at, auditId, presents };
  await ctx.progress(0, Math.ceil(seconds), 0);
  const tally = await takeWindow(
    { handle: connection, store, catalog, consent },
    { ms: seconds * SECOND, signal: ctx.signal },
  );
  await writeSpan(store, connection.config.id, 'sample', spanOf(tally, at));
  const { cutShort } = tally;
  await noteLast(store, connection.config.id, {
    at,
    seconds: tally.seconds,
    cutShort,
    coverage: coverageOf(tally),
  });
  await ctx.progress(Math.ceil(seconds), Math.ceil(seconds), 0);
  return { result: resultOf(tally) };
};

/** Tried once: a window that could not be taken is asked for again by whoever wants it. */
export const sampleJob: JobDefinition<typeof payload> = {
  action: hitRateContracts.sample.id,
  permission: 'caches:sample',
  payload,
  onReadOnly: true,
  run,
};
