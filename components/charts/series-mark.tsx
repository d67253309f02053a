import { type LineStyle, strokeOf } from './series';

/** A short piece of a line, next to its name. */
export const SeriesMark = ({ style }: { style: LineStyle }) => (
  <svg
    width="18"
    height="10"
    viewBox="0 0 18 10"
    aria-hidden="true"
    focusable="false"
    data-color={style.color}
  >
    <line
      x1="0"
      x2="18"
      y1="5"
      y2="5"
      stroke={strokeOf(style)}
      strokeWidth="3"
      strokeDasharray={style.dash}
    />
  </svg>
);
