import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { notFound, Problem } from '@/lib/errors';
import { DAY, iso } from '@/lib/time';
import { type Granularity, type rateLimitContracts, STEP_MS } from './schema';

const METRIC = 'events-rate-limited';
/** What the contract admits, and one: a range may begin and end inside a span. */
const MAX_POINTS = 11_001;

const NOT_LOADED = 'RedisTimeSeries is not loaded in this Redis, and refused events leave no other trace.';
const NO_SERIES = 'The collector has not recorded a refused event of this project in this resolution.';

/** How far back each series reaches: the collector's own retention. */
const finestFor = (ageMs: number): Granularity => {
  if (ageMs <= DAY) return 'minutely';
  return ageMs <= 7 * DAY ? 'hourly' : 'daily';
};

/** Why a series could not be read, or null where that is no answer of the module's. */
const reasonOf = (error: Error): string | null => {
  if (/unknown command/i.test(error.message)) return NOT_LOADED;
  if (/key does not exist/i.test(error.message)) return NO_SERIES;
  if (error.message.startsWith('WRONGTYPE') || /not a valid time series|wrong type/i.test(error.message))
    return 'The key of this series holds something else.';
  return null;
};

/** Refused events of a project as the collector counts them, in the resolution that suits the range. */
export const refusedEvents = async (
  ctx: ReadContext,
  { projectId, from, to, granularity }: Input<typeof rateLimitContracts.refused>,
): Promise<Result<typeof rateLimitContracts.refused>> => {
  const family = ctx.catalog.get('hawk.ts-project');
  if (!family) throw notFound(`An error collector on connection "${ctx.connection.config.id}"`);
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const period = granularity ?? finestFor(ctx.now() - begin);
  const id = projectId.toLowerCase();
  const answer = { projectId: id, granularity: period };
  try {
    const key = family.key({ metric: METRIC, id, period });
    // Every refusal is a point of its own: they are added up as they are read.
    const points = await ctx.reader.read([
      ...(['TS.RANGE', key, begin, end, 'COUNT', MAX_POINTS] as const),
      ...(['AGGREGATION', 'SUM', STEP_MS[period]] as const),
    ]);
    return {
      ...answer,
      available: true,
      reason: null,
      points: points.map(([at, value]) => ({ at: iso(at), refused: Number(value.toString('latin1')) })),
    };
  } catch (error) {
    // A command that is not there is a 503 anywhere else.
    const cause = error instanceof Problem ? error.cause : error;
    const reason = cause instanceof Error ? reasonOf(cause) : null;
    if (reason === null) throw error;
    // A project that was never refused has no series: that is a figure, the missing module is none.
    return { ...answer, available: reason === NO_SERIES, reason, points: [] };
  }
};
