import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** One problem of the configuration; `found` never contains a secret. */
export interface ConfigurationProblem {
  variable: string;
  found: string;
  expected: string;
}

interface Hints {
  /** Its value is never shown. */
  secret?: boolean;
  /** Shown instead of the value. */
  found?: string;
}

/** A value of `schema`; any problem with it is reported as one phrase, which completes "expected …". */
export const expecting = <S extends z.ZodType>(expected: string, schema: S, params: Hints = {}) =>
  z.unknown().transform((input, ctx): z.output<S> => {
    const read = schema.safeParse(input);
    if (read.success) return read.data;
    ctx.addIssue({ code: 'custom', message: expected, input, params });
    return z.NEVER;
  });

/** Null when it is unset. */
export const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().default(null);

/** A mapping of the file. Unknown keys are reported by name. */
export const mapping = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `one of ${Object.keys(shape).join(', ')}` : 'a mapping',
  });

/** Whether an address is of this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

export const isMapping = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes unset values: undefined, null or empty, in mappings at any depth. */
export const withoutUnset = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUnset);
  if (!isMapping(value)) return value;
  const set = Object.entries(value).filter(([, each]) => each !== undefined && each !== null && each !== '');
  return Object.fromEntries(set.map(([key, each]) => [key, withoutUnset(each)]));
};

/** Text that may contain a password, possibly cut by a wrong character: it is never shown. */
const MAY_BE_SECRET = /[@?#]|:\/\/(?!([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?([/"]|$))/i;

export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  if (MAY_BE_SECRET.test(text)) return '(hidden)';
  const cut = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return typeof value === 'string' ? JSON.stringify(cut) : cut;
};

const foundIn = (issue: z.core.$ZodIssue): string => {
  const { secret, found }: Hints = issue.code === 'custom' ? (issue.params ?? {}) : {};
  if (found !== undefined || issue.input === undefined) return found ?? 'nothing';
  if (issue.code === 'invalid_type') return Array.isArray(issue.input) ? 'a list' : typeof issue.input;
  return secret ? '(hidden)' : shown(issue.input);
};

/** Parses a value and collects its problems; `nameOf` names the variable at a path. */
export const check = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  nameOf: (path: PropertyKey[]) => string,
): { data?: z.output<S>; problems: ConfigurationProblem[] } => {
  const { data, error } = schema.safeParse(withoutUnset(value), { reportInput: true });
  const isUnknown = ({ code }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys';
  const issues = error?.issues ?? [];
  // Unknown keys first, because a missing key may have been misspelled.
  const ordered = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))];
  const problems = ordered.flatMap((issue) => {
    const { path, message: expected } = issue;
    if (issue.code !== 'unrecognized_keys')
      return { variable: nameOf(path), found: foundIn(issue), expected };
    // In a YAML mapping an unquoted comma ends a password, and the rest becomes a key.
    const names = issue.keys.map((key) => (MAY_BE_SECRET.test(key) ? '(hidden)' : key));
    return names.map((key) => ({ variable: nameOf([...path, key]), found: 'an unknown key', expected }));
  });
  return { data, problems };
};

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

/** A Go duration (`300ms`, `1m30s`, `1.5h`, `0`) in milliseconds; null when it is invalid. */
export const goDurationMs = (text: string): number | null => {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d*)?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return null;
  const parts = [...text.matchAll(/([\d.]+)([^\d.]+)/g)];
  return parts.reduce((total, [, amount, unit]) => total + Number(amount) * UNIT_MS[unit!]!, 0);
};

const goDuration = z.string().transform((text) => goDurationMs(text.trim()));
export const duration = expecting(
  'a Go duration longer than nothing, such as 5s, 1m30s or 300ms',
  goDuration.pipe(z.number().positive()),
);

const numericText = z.string().regex(/^\s*-?\d+(\.\d+)?\s*$/);
const numeric = z.union([z.number(), numericText.transform(Number)]);

export const number = (min: number, max: number) =>
  expecting(`a number from ${min} to ${max}`, numeric.pipe(z.number().min(min).max(max)));

export const integer = (min: number, max: number, what = 'a whole number') =>
  expecting(`${what} from ${min} to ${max}`, numeric.pipe(z.int().min(min).max(max)));

/** Seconds: a plain number, or a Go duration of whole seconds. */
export const seconds = expecting(
  'a number of seconds, or a Go duration such as 60s',
  z.union([numeric, duration.transform((ms) => ms / 1000)]).pipe(z.int().min(0)),
);

const SIZE = /^(\d+(?:\.\d+)?) ?(?:([kmg])(?:i?b)?|b)?$/i;
const bytesIn = (text: string): number => {
  const [, amount, unit = ''] = SIZE.exec(text) ?? [];
  return Number(amount) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
};
export const bytes = expecting(
  'a size: bytes, or with a unit such as 256MiB',
  z.coerce.string().trim().transform(bytesIn).pipe(z.int()),
);

const BOOLEANS = { truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'] };
export const boolean = expecting('true or false', z.coerce.string().trim().pipe(z.stringbool(BOOLEANS)));

export const oneOf = <const T extends readonly string[]>(choices: T) =>
  expecting(`one of ${choices.join(', ')}`, z.enum(choices));

const trimmed = (part: unknown): unknown => (typeof part === 'string' ? part.trim() : part);

/** A list: a YAML sequence, or one string with commas. */
export const listOf = <S extends z.ZodType>(item: S, expected: string) => {
  const parts = z.union([z.array(z.unknown()), z.string().transform((text) => text.split(','))]);
  const cleaned = parts.transform((list) => list.map(trimmed).filter((part) => part !== ''));
  return expecting(expected, cleaned.pipe(z.array(item)));
};

export const text = (expected: string, pattern: RegExp, params?: Hints) =>
  expecting(expected, z.string().regex(pattern), params);

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
export const networks = listOf(network, 'addresses or networks, such as 10.0.0.0/8 or ::1');

export const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

export const isHostAndPort = (value: string): boolean => {
  const match = /^(?:\[([^\]]+)\]|([^\s:/@?#[\],]+)):(\d{1,5})$/.exec(value);
  if (!match || (match[1] !== undefined && isIP(match[1]) !== 6)) return false;
  return Number(match[3]) >= 1 && Number(match[3]) <= 65535;
};

export const hostAndPort = expecting('host:port', z.string().refine(isHostAndPort));
export const nodes = listOf(z.string().refine(isHostAndPort), 'a list of host:port');

/** The absolute path of a readable file; a relative one starts from `folder`. */
export const readableIn = (folder: string) =>
  z.string().transform((given, ctx) => {
    const absolute = resolve(folder, given);
    try {
      accessSync(absolute, constants.R_OK);
    } catch {
      ctx.addIssue({ code: 'custom', message: 'a file that can be read', input: given });
    }
    return absolute;
  });
