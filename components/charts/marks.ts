export interface ChartEvent {
  at: number;
  label: string;
}

export interface Mark extends ChartEvent {
  /** The side of the line on which the label fits. */
  side: 'before' | 'after';
}

const LABEL_WIDTH = 90;

/**
 * Places events and their labels on an axis of `width` pixels. Each event has its line; labels that would overlap are
 * joined at the first of them, and a label near the right end is left of its line.
 */
export const marksOf = (events: readonly ChartEvent[], from: number, to: number, width: number): Mark[] => {
  const shown = events.filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at);
  const pixel = (at: number) => ((at - from) / (to - from)) * width;
  const marks: Mark[] = [];
  let labelled: Mark | null = null;
  for (const event of shown) {
    const side = width - pixel(event.at) < LABEL_WIDTH ? 'before' : 'after';
    // A label left of its line and one right of the line before share the space between the lines.
    const room = side === 'before' && labelled?.side === 'after' ? 2 * LABEL_WIDTH : LABEL_WIDTH;
    if (labelled && pixel(event.at) - pixel(labelled.at) < room) {
      const labels = labelled.label.split(' · ');
      if (!labels.includes(event.label)) labelled.label = [...labels, event.label].join(' · ');
      marks.push({ ...event, label: '', side: 'after' });
      continue;
    }
    labelled = { ...event, side };
    marks.push(labelled);
  }
  return marks;
};
