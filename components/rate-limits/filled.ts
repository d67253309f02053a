import type { Sample } from '@/components/charts/gaps';

/**
 * Refused events a span, with 0 where none was recorded: each refusal is a point of its own, so a span without one had
 * none. Times in epoch ms, `points` ascending and at the beginnings of spans.
 */
export const filled = (
  points: readonly { at: string; refused: number }[],
  from: number,
  to: number,
  stepMs: number,
): Sample[] => {
  const known = new Map(points.map(({ at, refused }) => [Date.parse(at), refused]));
  const samples: Sample[] = [];
  // The first span began before the range: its figure is not whole, its place is.
  for (let at = Math.floor(from / stepMs) * stepMs; at <= to; at += stepMs)
    samples.push({ at, refused: known.get(at) ?? 0 });
  return samples;
};
