export interface ChartEvent {
  at: number;
  label: string;
}

export interface Mark extends ChartEvent {
  /** On which side of its line the label has room. */
  side: 'before' | 'after';
}

const LABEL_WIDTH = 90;

/**
 * Where events and their labels stand on an axis of `width` pixels: each event keeps its line, labels that would
 * overlap are joined at the first one, and a label near the right end is left of its line.
 */
export const marksOf = (events: readonly ChartEvent[], from: number, to: number, width: number): Mark[] => {
  const shown = events.filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at);
  const pixel = (at: number) => ((at - from) / (to - from)) * width;
  const marks: Mark[] = [];
  let labelled: Mark | null = null;
  for (const event of shown) {
    const side = width - pixel(event.at) < LABEL_WIDTH ? 'before' : 'after';
    // One before its line and one behind the line before it share what is between.
    const room = side === 'before' && labelled?.side === 'after' ? 2 * LABEL_WIDTH : LABEL_WIDTH;
    if (labelled && pixel(event.at) - pixel(labelled.at) < room) {
      const joined = labelled.label.split(' · ');
      if (!joined.includes(event.label)) labelled.label = [...joined, event.label].join(' · ');
      marks.push({ ...event, label: '', side: 'after' });
      continue;
    }
    labelled = { ...event, side };
    marks.push(labelled);
  }
  return marks;
};
