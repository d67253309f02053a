import 'server-only';
import type { Figure, FigureDefinition } from './figure';

/** Declares the figures of a source, which have labels and permission in common. */
export const definer =
  (common: Pick<FigureDefinition, 'labels' | 'permission'>) =>
  (name: string, unit: FigureDefinition['unit'], help: string): FigureDefinition => ({
    name: `keyward_${name}`,
    unit,
    help,
    ...common,
  });

/** The values of several figures that have the labels in common; null where unknown. */
export interface Row {
  labels: Figure['labels'];
  at: number;
  /** By the name of the figure without `keyward_`. */
  values: Readonly<Record<string, number | null | undefined>>;
}

export const figuresOf = ({ labels, at, values }: Row): Figure[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'number' && Number.isFinite(value)
      ? [{ name: `keyward_${name}`, labels, value, at }]
      : [],
  );

/** The number of dropped series, for each kind with a limit. */
export const DROPPED: FigureDefinition = definer({ labels: ['kind'], permission: 'view' })(
  'figures_dropped',
  'count',
  'Families, queues or application metrics without figures: beyond the limit, or named like another one once masked.',
);

export const droppedFigures = (kind: string, count: number, at: number): Figure[] =>
  figuresOf({ labels: { kind }, at, values: { figures_dropped: count } });

/**
 * The figures of at most `max` rows, the first of each label set, and how many rows were dropped: applications may have
 * countless names, and masked names may be equal.
 */
export const boundedFigures = (
  kind: string,
  rows: readonly Row[],
  { max, at }: { max: number; at: number },
): Figure[] => {
  const first = new Map<string, Row>();
  for (const row of rows) {
    const id = JSON.stringify(Object.values(row.labels));
    if (first.size < max && !first.has(id)) first.set(id, row);
  }
  return [...[...first.values()].flatMap(figuresOf), ...droppedFigures(kind, rows.length - first.size, at)];
};
