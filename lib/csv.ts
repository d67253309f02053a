/**
 * Characters that make a spreadsheet run a cell as a formula (OWASP, CSV injection), including the full-width forms
 * that some accept.
 */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A text that no spreadsheet executes: text that begins like a formula gets a leading apostrophe. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** A cell of a CSV file. */
export const csvCell = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return '';
  // A negative number is not a formula.
  if (typeof value === 'number') return String(value);
  return `"${withoutFormula(value).replaceAll('"', '""')}"`;
};
