import { useLocale } from 'next-intl';
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { type DataColumn, DEFAULT_WIDTH } from './columns';

/** Widths are written for English; Russian words are longer. */
const SCALES: Record<string, number> = { ru: 1.15 };

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
        const { header, width = DEFAULT_WIDTH } = column;
        return { ...column, width: header === '' ? Math.max(width, buttons) : Math.round(width * scale) };
      }),
    [columns, scale, buttons],
  );
};
