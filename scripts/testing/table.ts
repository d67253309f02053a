import { screen } from '@testing-library/react/pure';
import { textOf } from './render';

/** The rows of a table, without its heading; empty where there is no such table. */
export const rowsOf = (label: string): HTMLElement[] => [
  ...(screen.queryByRole('table', { name: label })?.querySelectorAll<HTMLElement>('tbody tr[data-index]') ??
    []),
];

/** The row with this text, as soon as it appears. */
export const rowWith = async (text: string): Promise<HTMLElement> => {
  const rows = await screen.findAllByRole('row', { name: (_, row) => textOf(row).includes(text) });
  return rows[0]!;
};

/** The text under a heading in a row. */
export const cellOf = (row: HTMLElement, heading: string): string => {
  const headings = [...(row.closest('table')?.querySelector('thead tr')?.children ?? [])];
  return textOf(row.children[headings.findIndex((cell) => textOf(cell).trim() === heading)]);
};
