export interface ChartEvent {
  at: number;
  label: string;
}

/** An event with its number, which its line and the list below the picture share. */
export interface NumberedEvent extends ChartEvent {
  number: number;
}

export interface Mark {
  number: number;
  at: number;
  /** "3", or "3–5" of lines close to each other; null where an earlier mark includes the number. */
  text: string | null;
}

/** The events inside a range, in ascending order, numbered from 1. */
export const numbered = (events: readonly ChartEvent[], from: number, to: number): NumberedEvent[] =>
  events
    .filter(({ at }) => at >= from && at <= to)
    .toSorted((a, b) => a.at - b.at)
    .map((event, i) => ({ ...event, number: i + 1 }));

/** Pixels of "12–34", so that no number lies on another. */
const TEXT_WIDTH = 40;

/** A line for each event on an axis of `width` pixels. Numbers that would overlap are joined at the first of them. */
export const marksOf = (
  events: readonly NumberedEvent[],
  from: number,
  to: number,
  width: number,
): Mark[] => {
  const pixel = ({ at }: ChartEvent) => ((at - from) / (to - from)) * width;
  const groups: NumberedEvent[][] = [];
  for (const event of events) {
    const first = groups.at(-1)?.[0];
    if (first && pixel(event) - pixel(first) < TEXT_WIDTH) groups.at(-1)!.push(event);
    else groups.push([event]);
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0]!.number, group.at(-1)!.number];
    return group.map(({ at, number }) => ({
      number,
      at,
      text: number === first ? (first === last ? `${first}` : `${first}–${last}`) : null,
    }));
  });
};
