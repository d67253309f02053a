import { screen } from '@testing-library/react/pure';
import { textOf } from './render';

/** The rows of the table, without its heading; none where there is no such table. */
export const rowsOf = (label: string): HTMLElement[] => [
  ...(screen.queryByRole('table', { name: label })?.querySelectorAll<HTMLElement>('tbody tr[data-index]') ??
    []),
];

/** The row that says this, as soon as it is there. */
export const rowWith = async (text: string): Promise<HTMLElement> => {
  const rows = await screen.findAllByRole('row', { name: (_, row) => textOf(row).includes(text) });
  return rows[0]!;
};

/** The text under a heading in a row. */
export const cellOf = (row: HTMLElement, heading: string): string => {
  const headings = [...(row.closest('table')?.querySelector('thead tr')?.children ?? [])];
  return textOf(row.children[headings.findIndex((each) => textOf(each).trim() === heading)]);
};
