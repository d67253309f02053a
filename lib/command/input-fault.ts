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
  base64: 'Give Base64.',
  email: 'Give an e-mail address.',
  datetime: 'Give a time such as 2026-01-31T12:00:00Z.',
};

const REQUIRED = 'This is required.';
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

const choices = (values: readonly unknown[]): string => {
  if (values.length === 1) return `This must be ${values[0]}.`;
  return values.length > MAX_CHOICES
    ? 'This is not one of the choices.'
    : `Choose one of these: ${values.map(String).join(', ')}.`;
};

/** An object whose form follows from one of its fields, which is missing or unknown. */
const unionFault = ({ discriminator, options, input }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) => {
  if (!discriminator) return WRONG_FORM;
  const tag = (input as Record<string, unknown> | null)?.[discriminator];
  return tag === undefined ? REQUIRED : choices((options as unknown[] | undefined) ?? []);
};

/** What is wrong with a field, for which its schema has no sentence. Never repeats the value. */
export const inputFault = (issue: z.core.$ZodRawIssue): string => {
  const { code } = issue;
  const isAbsent = issue.input === undefined;
  if (isAbsent && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union'))
    return REQUIRED;
  if (code === 'invalid_type') return TYPES[issue.expected] ?? WRONG_FORM;
  if (code === 'invalid_value') return choices(issue.values);
  if (code === 'invalid_union') return unionFault(issue);
  if (code === 'too_small') return tooSmall(issue);
  if (code === 'too_big') return tooBig(issue);
  if (code === 'invalid_format') return FORMATS[issue.format] ?? WRONG_FORM;
  if (code === 'not_multiple_of') return `Give a multiple of ${issue.divisor}.`;
  return WRONG_FORM;
};
