/**
 * What a spreadsheet runs as a formula when a cell begins with it (OWASP, CSV injection), the full-width forms that some
 * read as the same too.
 */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A text that no spreadsheet runs: what begins like a formula gets an apostrophe before it. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
