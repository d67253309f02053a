import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { actorLabel } from '@/lib/actor';
import type { Outcome } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import { type ObserveOptions, observe } from './observe';
import { isTooFew, MIN_LOOKUPS, readableRate } from './rate';
import { hitRateContracts } from './schema';
import { coverageOf, OPEN_ALREADY, type WindowTaker } from './take';

const payload = z.strictObject({
  seconds: z.number(),
  presents: z.record(z.string(), z.string()).nullable(),
});

type Observation = Awaited<ReturnType<typeof observe>>;

const hundredths = (seconds: number): number => Math.round(seconds * 100) / 100;

/** Whether nearly all of the time was observed, in one window or several. */
const isComplete = ({ seconds, askedSeconds }: Observation): boolean => seconds >= 0.9 * askedSeconds;

/** A summary as text: "stopped after 0.13 s of 5 s: latency rose by 6.8 ms". */
const summaryOf = (observation: Observation): string => {
  const { askedSeconds, cutShort, windows } = observation;
  const seconds = hundredths(observation.seconds);
  if (!isComplete(observation))
    return `stopped after ${seconds} s of ${askedSeconds} s${cutShort ? `: ${cutShort.text}` : ''}`;
  if (cutShort) return `observed ${seconds} s in ${windows} windows, because ${cutShort.text}`;
  return `observed ${seconds} s`;
};

/** Whether it can judge any family. A window that was not cut short at least shows little traffic. */
const isUsable = (observation: Observation): boolean =>
  observation.cutShort === null ||
  isComplete(observation) ||
  Object.values(observation.families).some(({ hits, misses }) => hits + misses >= MIN_LOOKUPS);

const resultOf = (observation: Observation): Record<string, unknown> => ({
  summary: summaryOf(observation),
  usable: isUsable(observation),
  families: Object.entries(observation.families)
    .map(([family, { hits, misses }]) => ({
      family,
      hits,
      misses,
      n: hits + misses,
      tooFew: isTooFew(hits, misses),
      hitRate: readableRate(hits, misses),
    }))
    .sort((a, b) => b.misses - a.misses),
  notAttributed: { ...observation.notAttributed, reasons: observation.reasons },
  hits: observation.total.hits,
  misses: observation.total.misses,
  coverage: coverageOf(observation),
  windowSeconds: observation.seconds,
  askedSeconds: observation.askedSeconds,
  windows: observation.windows,
  cutShort: observation.cutShort?.text ?? null,
  cutWhy: observation.cutShort?.why ?? null,
});

/** How long a sample waits for an open window on the server, such as one of the duty cycle. */
const OPEN_TIMEOUT_MS = 20 * SECOND;

/** Observes as soon as no other window is open on the server. Throws 409 when one stays open. */
const observeWhenFree = async (
  taker: WindowTaker,
  options: ObserveOptions,
  clock: () => number,
): Promise<Observation> => {
  const until = clock() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      return await observe(taker, options, clock);
    } catch (error) {
      const isBusy = error instanceof Problem && error.message === OPEN_ALREADY;
      if (!isBusy || clock() >= until || options.signal?.aborted) throw error;
      await sleep(SECOND, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
};

/** Progress is in observed seconds. A sample that cannot judge any family fails. */
const runWith =
  (retry: Pick<ObserveOptions, 'retryMs'>) =>
  async (
    ctx: JobContext,
    { seconds, presents }: z.output<typeof payload>,
  ): Promise<Outcome<Record<string, unknown>>> => {
    const { connection, store, catalog, auditId } = ctx;
    const consent = presents && { by: actorLabel(ctx.actor), at: ctx.now(), auditId, presents };
    await ctx.progress(0, seconds, 0);
    const onProgress = (observed: number) =>
      ctx.progress(Math.min(seconds, hundredths(observed)), seconds, 0);
    const observation = await observeWhenFree(
      { handle: connection, store, catalog, consent },
      { ms: seconds * SECOND, signal: ctx.signal, onProgress, ...retry },
      ctx.now,
    );
    const result = resultOf(observation);
    if (isUsable(observation)) return { result };
    const summary = `${result.summary}. There were too few look-ups for a hit rate of any family.`;
    throw new PartialFailure(new Problem('conflict', summary[0]!.toUpperCase() + summary.slice(1)), {
      result,
    });
  };

/** An interrupted sample is not repeated: it may not be wanted any more. */
export const sampleJobWith = (retry: Pick<ObserveOptions, 'retryMs'>): JobDefinition<typeof payload> => ({
  action: hitRateContracts.sample.id,
  permission: 'caches:sample',
  unit: 'seconds',
  payload,
  onReadOnly: true,
  run: runWith(retry),
});

export const sampleJob = sampleJobWith({});
