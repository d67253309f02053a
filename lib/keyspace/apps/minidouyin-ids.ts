import { chars, DIGITS } from '../grammar';

/** Bare keys are short numbers. The limit keeps a phone number joined with a password from being shown as an id. */
export const rowId = chars('row-id', DIGITS, { max: 10 }, 'at most 10 decimal digits');
