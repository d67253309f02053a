import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import { paramsOfParts } from '@/lib/keyspace/part-params';
import { DAY, iso } from '@/lib/time';
import { type Granularity, type rateLimitContracts, STEP_MS } from './schema';

const METRIC = 'events-rate-limited';
/** The contract's maximum plus one: a range may begin and end inside a step. */
const MAX_POINTS = 11_001;

const NOT_LOADED = 'RedisTimeSeries is not loaded in this Redis; refused events are recorded nowhere else.';
const NO_SERIES = 'The collector has recorded no refused event of this project at this resolution.';

/** The finest series whose retention (the collector's) reaches this far back. */
const finestFor = (ageMs: number): Granularity => {
  if (ageMs <= DAY) return 'minutely';
  return ageMs <= 7 * DAY ? 'hourly' : 'daily';
};

/** Why a series could not be read; null if the error is not about the series. */
const reasonOf = (error: Error): string | null => {
  if (/unknown command/i.test(error.message)) return NOT_LOADED;
  if (/key does not exist/i.test(error.message)) return NO_SERIES;
  if (error.message.startsWith('WRONGTYPE') || /not a valid time series|wrong type/i.test(error.message))
    return 'The key of this series has another type.';
  return null;
};

/** Refused events of a project as the collector counts them, at a resolution that suits the range. */
export const refusedEvents: ReadOf<typeof rateLimitContracts.refused> = async (
  ctx,
  { projectId, from, to, granularity },
) => {
  const family = ctx.catalog.role('project-metrics');
  if (!family) throw notFound(`A time series of projects on connection "${ctx.connection.config.id}"`);
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const period = granularity ?? finestFor(ctx.now() - begin);
  const id = projectId.toLowerCase();
  const answer = { projectId: id, granularity: period };
  try {
    const key = family.key(paramsOfParts(family, { metric: METRIC, id, period }));
    // The collector writes one point per refusal; the server adds them up per step.
    const points = await ctx.reader.read([
      'TS.RANGE',
      key,
      begin,
      end,
      'COUNT',
      MAX_POINTS,
      'AGGREGATION',
      'SUM',
      STEP_MS[period],
    ]);
    return {
      ...answer,
      available: true,
      reason: null,
      points: points.map(([at, value]) => ({ at: iso(at), refused: Number(value.toString('latin1')) })),
    };
  } catch (error) {
    // An unknown command is a 503 elsewhere; here it means that the module is not loaded.
    const cause = error instanceof Problem ? error.cause : error;
    const reason = cause instanceof Error ? reasonOf(cause) : null;
    if (reason === null) throw error;
    // A project that was never refused has no series: the figure is 0. Without the module it is unknown.
    return { ...answer, available: reason === NO_SERIES, reason, points: [] };
  }
};
