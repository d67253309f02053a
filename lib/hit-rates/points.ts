import 'server-only';
import { iso, MINUTE } from '@/lib/time';
import { errorOf } from './error';
import { type CountedSource, lookupCounts, NO_LOOKUPS } from './lookup-counts';
import { MIN_LOOKUPS } from './rate';
import type { HitRatePoint } from './schema';
import { addSums, type FamilySums, type HitRateSpan } from './spans';

/** A point is readable if the half width of its 95 % interval is at most this. */
const NARROW = 0.1;
/** A chart keeps about this many points, whatever the width of their intervals. */
const MIN_POINTS = 12;
/** Spans further apart are not joined, because nothing was observed between them. */
const MAX_GAP_MS = 5 * MINUTE;

interface Group {
  from: number;
  to: number;
  sums: FamilySums;
  seconds: number;
}

const countOf = ({ sums: [hits, misses] }: Group): number => hits + misses;

const join = (a: Group, b: Group): Group => ({
  from: a.from,
  to: b.to,
  sums: addSums(a.sums, b.sums),
  seconds: a.seconds + b.seconds,
});

/** Runs of steps without gaps. */
const runsOf = (steps: readonly Group[], stepMs: number): Group[][] => {
  const runs: Group[][] = [];
  for (const step of steps) {
    const run = runs.at(-1);
    if (run && step.from - run.at(-1)!.to <= Math.max(MAX_GAP_MS, 2 * stepMs)) run.push(step);
    else runs.push([step]);
  }
  return runs;
};

/** Joins the steps of a run until each group is readable. A remainder at the end joins the previous group. */
const joinRun = (run: readonly Group[], isReadable: (group: Group) => boolean): Group[] => {
  const groups: Group[] = [];
  let open: Group | null = null;
  for (const step of run) {
    open = open ? join(open, step) : step;
    if (!isReadable(open)) continue;
    groups.push(open);
    open = null;
  }
  if (!open) return groups;
  const last = groups.pop();
  return [...groups, last ? join(last, open) : open];
};

/**
 * The points of a family: steps are joined until each point has enough look-ups, so that a chart shows a rate instead
 * of noise. The sums over all points equal those over the steps.
 */
export const readablePoints = (
  id: string,
  source: CountedSource,
  spans: readonly HitRateSpan[],
  stepMs: number,
): HitRatePoint[] => {
  const steps = spans.map((span) => ({
    from: span.at,
    to: span.at + stepMs,
    seconds: span.seconds,
    sums: span.families[id] ?? NO_LOOKUPS,
  }));
  const longest = steps.length > 0 ? (steps.at(-1)!.to - steps[0]!.from) / MIN_POINTS : 0;
  const isReadable = (group: Group): boolean =>
    countOf(group) >= MIN_LOOKUPS &&
    (source === 'counters' || errorOf(group.sums)! <= NARROW || group.to - group.from >= longest);
  return runsOf(steps, stepMs)
    .flatMap((run) => joinRun(run, isReadable))
    .map((group) => ({
      at: iso(group.from),
      to: iso(group.to),
      ...lookupCounts(source, group.sums, group.seconds),
    }));
};
