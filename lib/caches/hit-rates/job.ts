import 'server-only';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import type { Outcome } from '@/lib/command/define';
import { readableRate } from '@/lib/hit-rate';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import { observe } from './observe';
import { hitRateContracts } from './schema';
import { coverageOf } from './take';

const payload = z.strictObject({
  seconds: z.number(),
  presents: z.record(z.string(), z.string()).nullable(),
});

const resultOf = (counts: Awaited<ReturnType<typeof observe>>): Record<string, unknown> => ({
  families: Object.entries(counts.families)
    .map(([family, { hits, misses }]) => ({
      family,
      hits,
      misses,
      n: hits + misses,
      hitRate: readableRate(hits, misses),
    }))
    .sort((a, b) => b.misses - a.misses),
  notAttributed: { ...counts.notAttributed, reasons: counts.reasons },
  hits: counts.total.hits,
  misses: counts.total.misses,
  coverage: coverageOf(counts),
  windowSeconds: counts.seconds,
  askedSeconds: counts.askedSeconds,
  windows: counts.windows,
  cutShort: counts.cutShort?.text ?? null,
  cutWhy: counts.cutShort?.why ?? null,
});

const run = async (
  ctx: JobContext,
  { seconds, presents }: z.output<typeof payload>,
): Promise<Outcome<Record<string, unknown>>> => {
  const { connection, store, catalog, auditId } = ctx;
  const at = ctx.now();
  const consent = presents && { by: actorLabel(ctx.actor), at, auditId, presents };
  await ctx.progress(0, Math.ceil(seconds), 0);
  const options = { ms: seconds * SECOND, signal: ctx.signal };
  const counts = await observe({ handle: connection, store, catalog, consent }, options, ctx.now);
  await ctx.progress(Math.ceil(seconds), Math.ceil(seconds), 0);
  return { result: resultOf(counts) };
};

/** Nothing resumes a job of windows that failed: whoever wants one starts another. */
export const sampleJob: JobDefinition<typeof payload> = {
  action: hitRateContracts.sample.id,
  permission: 'caches:sample',
  payload,
  onReadOnly: true,
  run,
};
