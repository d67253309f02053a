type Spot = { x: number; y: number };

const rounded = (value: number) => Math.round(value * 100) / 100;

const runsOf = (values: readonly (number | null)[], place: (value: number, i: number) => Spot): Spot[][] => {
  const runs: Spot[][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)!.push(place(value, i));
  }
  return runs.filter((run) => run.length > 0);
};

/** SVG paths of a sparkline and of the area below it. A null is a gap in both; a flat series is in the middle. */
export const sparkPaths = (
  values: readonly (number | null)[],
  width: number,
  height: number,
  domain?: readonly [number, number],
): { line: string; area: string } => {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { line: '', area: '' };
  const low = domain?.[0] ?? Math.min(...known);
  const high = domain?.[1] ?? Math.max(...known);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const place = (value: number, i: number): Spot => ({
    x: rounded(i * step),
    y: rounded(high === low ? height / 2 : 1 + (1 - (value - low) / (high - low)) * (height - 2)),
  });
  const runs = runsOf(values, place);
  // A single value between gaps is a line of length 0, which round caps show as a dot.
  const line = (run: Spot[]) =>
    run.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join('') + (run.length === 1 ? 'h0' : '');
  const area = (run: Spot[]) => `${line(run)}L${run.at(-1)!.x} ${height}L${run[0]!.x} ${height}Z`;
  return { line: runs.map(line).join(''), area: runs.map(area).join('') };
};
