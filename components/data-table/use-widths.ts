import { useLocale } from 'next-intl';
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { textWidth } from '@/components/patterns/text-width';
import { type DataColumn, DEFAULT_WIDTH } from './columns';

/** Widths are written for English; Russian words are longer. */
const SCALES: Record<string, number> = { ru: 1.15 };

/** Pixels beside a header's words: padding, and the arrow of a sortable one. */
const AROUND = 24;
const ARROW = 20;

/** What a header needs so that no word is broken. */
const headWidth = ({ header, sortable }: Pick<DataColumn<never>, 'header' | 'sortable'>): number =>
  Math.max(...header.split(/[\s-]/).map(textWidth)) + AROUND + (sortable ? ARROW : 0);

/** The columns with the widths that this language and the buttons in the rows need. */
export const useWidths = <Row>(
  root: RefObject<HTMLElement | null>,
  columns: DataColumn<Row>[],
): DataColumn<Row>[] => {
  const scale = SCALES[useLocale()] ?? 1;
  const [buttons, setButtons] = useState(0);
  useLayoutEffect(() => {
    const cut = [...(root.current?.querySelectorAll('tbody td[data-actions]') ?? [])].filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    );
    setButtons((now) => Math.max(now, ...cut.map(({ scrollWidth }) => scrollWidth)));
  });
  return useMemo(
    () =>
      columns.map((column) => {
        const { header, width = DEFAULT_WIDTH, least = 0 } = column;
        const isButtons = header === '';
        const needed = isButtons ? Math.max(width, buttons) : Math.max(headWidth(column), least * scale);
        const wanted = isButtons ? width : Math.round(width * scale);
        return { ...column, least: needed, width: Math.max(wanted, needed) };
      }),
    [columns, scale, buttons],
  );
};
