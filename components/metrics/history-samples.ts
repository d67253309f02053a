import type { Sample } from '@/components/charts/gaps';
import type { FigureRef } from './queries';

/** What can be drawn: `id` is the field of the samples. */
export interface Line {
  id: string;
  name: string;
  figure: FigureRef;
}

interface History {
  points: readonly { at: string; value: number }[];
  stepSeconds: number;
  from: number;
  to: number;
}

/** Several histories as samples: one for each time that any of them has, null where another lacks it. */
export const samplesOf = (
  lines: readonly Line[],
  histories: readonly History[],
): { samples: Sample[]; stepMs: number; from: number; to: number } => {
  const nothing = Object.fromEntries(lines.map(({ id }) => [id, null]));
  const byTime = new Map<number, Sample>();
  for (const [i, { points }] of histories.entries())
    for (const { at, value } of points) {
      const time = Date.parse(at);
      const sample = byTime.get(time) ?? ({ ...nothing, at: time } as Sample);
      byTime.set(time, Object.assign(sample, { [lines[i]!.id]: value }));
    }
  return {
    samples: [...byTime.values()].sort((a, b) => a.at - b.at),
    stepMs: Math.max(1, ...histories.map(({ stepSeconds }) => stepSeconds)) * 1000,
    from: histories.length > 0 ? Math.min(...histories.map(({ from }) => from)) : 0,
    to: Math.max(...histories.map(({ to }) => to), 0),
  };
};
