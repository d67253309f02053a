import { isIP } from 'node:net';

/** One thing that is wrong with the configuration; `found` never holds a secret. */
export interface ConfigurationProblem {
  variable: string;
  found: string;
  expected: string;
}

/** How a value is read. `parse` answers undefined for what is not one; `expected` completes "expected …". */
export interface Kind<T> {
  expected: string;
  secret?: boolean;
  parse(value: unknown): T | undefined;
}

/** Passwords in URLs, whatever else is wrong with them. */
export const maskUrl = (text: string): string =>
  text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)?\S*@/is, '$1***@')
    .replace(/([?&](?:password|auth|token|secret|key)=)[^&#\s]*/gi, '$1***');

const shown = (value: unknown, secret: boolean | undefined): string => {
  if (secret) return '(hidden)';
  const text = typeof value === 'string' ? maskUrl(value) : maskUrl(JSON.stringify(value) ?? String(value));
  const cut = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return typeof value === 'string' ? JSON.stringify(cut) : cut;
};

/** Collects every problem, so that all are told at once. */
export class Findings {
  readonly problems: ConfigurationProblem[] = [];

  add(variable: string, found: string, expected: string): void {
    this.problems.push({ variable, found, expected });
  }

  /** The value as `kind` reads it; `fallback` when it is unset (undefined, null or empty) or wrong. */
  read<T, F>(variable: string, value: unknown, kind: Kind<T>, fallback: F): T | F {
    if (value === undefined || value === null || value === '') return fallback;
    const parsed = kind.parse(value);
    if (parsed !== undefined) return parsed;
    this.add(variable, shown(value, kind.secret), kind.expected);
    return fallback;
  }
}

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

/** A Go duration (`300ms`, `1m30s`, `1.5h`, `0`) in milliseconds; null when it is none. */
export const goDurationMs = (text: string): number | null => {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d*)?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * UNIT_MS[unit!]!;
  }
  return total;
};

export const duration: Kind<number> = {
  expected: 'a Go duration longer than nothing, such as 5s, 1m30s or 300ms',
  parse: (value) => {
    const ms = typeof value === 'string' ? goDurationMs(value.trim()) : null;
    return ms !== null && ms > 0 ? ms : undefined;
  },
};

const asNumber = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
      ? Number(value)
      : NaN;

export const number = (min: number, max: number, what = 'a number'): Kind<number> => ({
  expected: `${what} from ${min} to ${max}`,
  parse: (value) => {
    const parsed = asNumber(value);
    return parsed >= min && parsed <= max ? parsed : undefined;
  },
});

export const integer = (min: number, max: number, what = 'a whole number'): Kind<number> => ({
  expected: `${what} from ${min} to ${max}`,
  parse: (value) => {
    const parsed = number(min, max).parse(value);
    return Number.isSafeInteger(parsed) ? parsed : undefined;
  },
});

/** Seconds: a bare number of them, or a Go duration of whole ones. */
export const seconds: Kind<number> = {
  expected: 'a number of seconds, or a Go duration such as 60s',
  parse: (value) => {
    const parsed = asNumber(value);
    const total = Number.isNaN(parsed) ? (duration.parse(value) ?? NaN) / 1000 : parsed;
    return Number.isSafeInteger(total) && total >= 0 ? total : undefined;
  },
};

const BYTE_UNITS: Record<string, number> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

export const bytes: Kind<number> = {
  expected: 'a size: bytes, or with a unit such as 256MiB',
  parse: (value) => {
    const match = /^(\d+(?:\.\d+)?) ?(?:([kmg])(?:i?b)?|b)?$/i.exec(String(value).trim());
    const total = match ? Number(match[1]) * BYTE_UNITS[(match[2] ?? 'b').toLowerCase()]! : NaN;
    return Number.isSafeInteger(total) ? total : undefined;
  },
};

export const boolean: Kind<boolean> = {
  expected: 'true or false',
  parse: (value) => {
    if (typeof value === 'boolean') return value;
    const text = String(value).trim().toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(text)) return true;
    return ['false', '0', 'no', 'off'].includes(text) ? false : undefined;
  },
};

export const oneOf = <T extends string>(...choices: T[]): Kind<T> => ({
  expected: `one of ${choices.join(', ')}`,
  parse: (value) => choices.find((choice) => choice === value),
});

/** A list: a YAML sequence, or one string with commas. */
export const listOf = <T>(item: Kind<T>, expected: string): Kind<T[]> => ({
  expected,
  parse: (value) => {
    const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : null;
    if (!parts) return undefined;
    const cleaned = parts
      .map((part) => (typeof part === 'string' ? part.trim() : part))
      .filter((part) => part !== '');
    const parsed = cleaned.map((part) => item.parse(part));
    return parsed.every((part) => part !== undefined) ? (parsed as T[]) : undefined;
  },
});

export const text = (expected: string, pattern: RegExp, secret = false): Kind<string> => ({
  expected,
  secret,
  parse: (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined),
});

const network: Kind<string> = {
  expected: 'an address or network',
  parse: (value) => {
    if (typeof value !== 'string') return undefined;
    const [address, prefix, more] = value.split('/');
    const version = isIP(address ?? '');
    if (version === 0 || more !== undefined || address!.includes('%')) return undefined;
    const longest = version === 4 ? 32 : 128;
    return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest)
      ? value
      : undefined;
  },
};

export const networks = listOf(network, 'addresses or networks, such as 10.0.0.0/8 or ::1');

const decodes = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};

const hostAndPort = (value: string): boolean => {
  const match = /^(?:\[([^\]]+)\]|([^\s:/@?#[\]]+)):(\d{1,5})$/.exec(value);
  if (!match || (match[1] !== undefined && isIP(match[1]) !== 6)) return false;
  return Number(match[3]) >= 1 && Number(match[3]) <= 65535;
};

export const node: Kind<string> = {
  expected: 'host:port',
  parse: (value) => (typeof value === 'string' && hostAndPort(value) ? value : undefined),
};

/** A Redis address as a URL; `host:port` (document 003's form) becomes `redis://host:port`. */
export const redisUrl: Kind<string> = {
  expected:
    'redis://, rediss:// or redis+unix:// with a host (or a socket’s path) and, if any, a database number; or host:port',
  parse: (value) => {
    if (typeof value !== 'string') return undefined;
    const trimmed = value.trim();
    if (hostAndPort(trimmed)) return `redis://${trimmed}`;
    if (!/^(rediss?|redis\+unix):\/\//.test(trimmed) || !URL.canParse(trimmed)) return undefined;
    const url = new URL(trimmed);
    if (!decodes(url.username) || !decodes(url.password)) return undefined;
    if (url.protocol === 'redis+unix:') return url.pathname.length > 1 ? trimmed : undefined;
    return url.hostname !== '' && url.port !== '0' && /^\/?\d*$/.test(url.pathname) ? trimmed : undefined;
  },
};
