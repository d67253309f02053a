import 'server-only';
import type { z } from 'zod';

const TYPES: Record<string, string> = {
  string: 'Give a text.',
  number: 'Give a number.',
  int: 'Give a whole number.',
  boolean: 'Give true or false.',
  array: 'Give a list.',
  object: 'Give an object.',
  record: 'Give an object.',
};

const FORMATS: Record<string, string> = {
  email: 'Give an e-mail address.',
  url: 'Give an address that begins with http:// or https://.',
  datetime: 'Give a time such as 2026-01-31T12:00:00Z.',
  date: 'Give a date such as 2026-01-31.',
};

const WRONG_FORM = 'This does not have the expected form.';
/** Longer lists of choices are documented, not read. */
const MAX_CHOICES = 12;

/** What has entries; a text has characters, and anything else is a number. */
const LISTS = new Set(['array', 'object', 'set']);

const tooSmall = ({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string => {
  const isList = LISTS.has(origin);
  if (isList || origin === 'string') {
    if (Number(minimum) === 1) return 'This must not be empty.';
    return isList ? `Give at least ${minimum} entries.` : `Give at least ${minimum} characters.`;
  }
  return inclusive === false ? `Give more than ${minimum}.` : `Give ${minimum} or more.`;
};

const tooBig = ({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string => {
  if (LISTS.has(origin)) return `Give at most ${maximum} entries.`;
  if (origin === 'string') return `Give at most ${maximum} characters.`;
  return inclusive === false ? `Give less than ${maximum}.` : `Give ${maximum} or less.`;
};

/** What is wrong with a field, for which its schema has no sentence. Never repeats the value. */
export const inputFault = (issue: z.core.$ZodRawIssue): string => {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'This is required.' : (TYPES[issue.expected] ?? WRONG_FORM);
  if (issue.code === 'invalid_value') {
    if (issue.input === undefined) return 'This is required.';
    return issue.values.length > MAX_CHOICES
      ? 'This is not one of the choices.'
      : `Choose one of these: ${issue.values.map(String).join(', ')}.`;
  }
  if (issue.code === 'too_small') return tooSmall(issue);
  if (issue.code === 'too_big') return tooBig(issue);
  if (issue.code === 'invalid_format') return FORMATS[issue.format] ?? WRONG_FORM;
  if (issue.code === 'not_multiple_of') return `Give a multiple of ${issue.divisor}.`;
  return WRONG_FORM;
};
