/** A colour of the palette in globals.css: safe for colour-blind readers, 3:1 on both backgrounds. 5 is grey. */
export type SeriesColor = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** How a line is drawn wherever it appears: in charts, legends, tooltips and tables. */
export interface LineStyle {
  color: SeriesColor;
  /** SVG `stroke-dasharray`; solid without one. */
  dash?: string;
}

export interface Series extends LineStyle {
  /** The samples' field. */
  id: string;
  name: string;
  /** Drawn thinner, for lines that others are compared with. */
  muted?: boolean;
  /** The samples' fields with the ends of the error band. */
  band?: { low: string; high: string };
  /** Text that the tooltip adds to the value: "± 3.1, 214 look-ups". */
  detail?: (sample: Readonly<Record<string, number | null>>) => string | null;
}

const COLORS: readonly SeriesColor[] = [1, 3, 4, 2, 6, 7, 8];
const DASHES: readonly (string | undefined)[] = [undefined, '7 3', '2 3', '9 3 2 3'];

/** The style of the n-th of many lines: colours repeat with different dashes, so the first 28 differ. */
export const styleOf = (n: number): LineStyle => {
  const dash = DASHES[Math.floor(n / COLORS.length) % DASHES.length];
  return { color: COLORS[n % COLORS.length]!, ...(dash && { dash }) };
};

export const strokeOf = ({ color }: LineStyle): string => `var(--kw-series-${color})`;
