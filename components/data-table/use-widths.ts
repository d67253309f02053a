import { useLocale } from 'next-intl';
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { textWidth } from '@/components/patterns/text-width';
import { type DataColumn, DEFAULT_WIDTH } from './columns';

/** Widths are written for English; Russian words are longer. */
const SCALES: Record<string, number> = { ru: 1.15 };

/** Pixels beside a header's words: padding, and the arrow of a sortable one. */
const AROUND = 30;
const ARROW = 20;

/** What a header needs so that no word is broken. */
const headWidth = ({ header, sortable }: Pick<DataColumn<never>, 'header' | 'sortable'>): number =>
  Math.max(...header.split(/[\s-]/).map(textWidth)) + AROUND + (sortable ? ARROW : 0);

/** Rows that are measured: those below have figures of the same kind. */
const MEASURED = 12;
/** A cell that needs more than so many times the declared width is long data, which may be cut. */
const GROWS = 1.6;

/** The columns with the widths that this language, the words of their headers and the figures in the rows need. */
export const useWidths = <Row>(
  root: RefObject<HTMLElement | null>,
  columns: DataColumn<Row>[],
): DataColumn<Row>[] => {
  const scale = SCALES[useLocale()] ?? 1;
  const [needs, setNeeds] = useState<Readonly<Record<string, number>>>({});
  useLayoutEffect(() => {
    const rows = [...(root.current?.querySelectorAll('tbody tr[data-index]') ?? [])].slice(0, MEASURED);
    const cut = rows
      .flatMap((row) => [...row.querySelectorAll<HTMLElement>('td[data-column]')])
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    if (cut.length === 0) return;
    setNeeds((known) => {
      const next: Record<string, number> = { ...known };
      for (const { dataset, scrollWidth } of cut)
        next[dataset.column!] = Math.max(next[dataset.column!] ?? 0, scrollWidth);
      return Object.entries(next).every(([id, width]) => known[id] === width) ? known : next;
    });
  });
  return useMemo(
    () =>
      columns.map((column) => {
        const { id, header, width = DEFAULT_WIDTH, least = 0 } = column;
        const isButtons = header === '';
        const wanted = isButtons ? width : Math.round(width * scale);
        const own = isButtons ? width : Math.max(headWidth(column), least * scale);
        const measured = Math.min(needs[id] ?? 0, isButtons ? Number.POSITIVE_INFINITY : wanted * GROWS);
        const needed = Math.max(own, measured);
        return { ...column, least: needed, width: Math.max(wanted, needed) };
      }),
    [columns, scale, needs],
  );
};
