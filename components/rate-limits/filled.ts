import type { Sample } from '@/components/charts/gaps';

/**
 * Refused events per step, with 0 for steps without a point: the collector writes a point per refusal. Times in epoch
 * ms; `points` ascending, at the beginnings of steps.
 */
export const filled = (
  points: readonly { at: string; refused: number }[],
  from: number,
  to: number,
  stepMs: number,
): Sample[] => {
  const known = new Map(points.map(({ at, refused }) => [Date.parse(at), refused]));
  const samples: Sample[] = [];
  // The first step began before the range, so its figure is incomplete.
  for (let at = Math.floor(from / stepMs) * stepMs; at <= to; at += stepMs)
    samples.push({ at, refused: known.get(at) ?? 0 });
  return samples;
};
