/** One line of a chart. */
export interface Series {
  /** The samples' field. */
  id: string;
  name: string;
  /** 1–5, the palette of globals.css: told apart by the colour-blind, readable on both grounds. */
  color: 1 | 2 | 3 | 4 | 5;
  /** What is compared with, and so stands back. */
  dashed?: boolean;
}
