/** What the checks of variables find, by code; `{x}` stands for a value. */
export const DOUBTS = {
  empty: 'The value is empty.',
  url: 'Does not look like a URL (scheme://host…).',
  integer: 'Not an integer.',
  port: 'Not a port (0 to 65535).',
  level: 'Not a log level (such as debug, info, warning, error).',
  boolean: 'Not a boolean (true/false, 1/0, on/off, yes/no).',
  hosts: 'Not a comma-separated or JSON list of hosts (example.org).',
  origins: 'Not a comma-separated or JSON list of origins (https://example.org).',
  host: 'Item {item} does not look like one of the expected hosts (example.org).',
  origin: 'Item {item} does not look like one of the expected origins (https://example.org).',
  nul: 'Contains NUL, which processes do not accept in their environment.',
  style: 'The stored format changed from {was} to {is}.',
  notText: 'Not UTF-8 text.',
  tooLarge: '{bytes} bytes: too large to show or edit.',
  tooLong: '{bytes} bytes: too large for the list. Reveal it to see the full value.',
  noName: 'The name is empty, so applications cannot look it up.',
  lowerCase: 'The name has lower-case letters; names are case-sensitive and usually upper case.',
  letters:
    'The name has characters that shells do not allow (allowed: A-Z, a-z, 0-9 and _, no leading digit).',
  longName: 'The name is too long to edit here.',
  exposed: 'The new name is not recognised as secret: the value would become visible.',
} as const;
export type DoubtCode = keyof typeof DOUBTS;

/** What a check found: its code, the values of its sentence, and the sentence in English. */
export interface Doubt {
  why: DoubtCode;
  values: Record<string, string | number>;
  message: string;
}

export const doubt = (why: DoubtCode, values: Doubt['values'] = {}): Doubt => ({
  why,
  values,
  message: DOUBTS[why].replace(/\{(\w+)\}/g, (_, name: string) => `${values[name]}`),
});
