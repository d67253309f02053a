import { EMPTY_NAME } from '@/lib/values/schema';
import { readBoolean } from '@/lib/values/style';
import type { Kind } from './schema';

/** Words a name ends with, and what such variables hold. `FEATURE_*` are switches whatever their last word. */
const LAST_WORDS: Record<Exclude<Kind, 'text' | 'log-level'>, ReadonlySet<string>> = {
  url: new Set(['URL', 'URI', 'DSN', 'ENDPOINT']),
  integer: new Set([
    ...['PORT', 'TIMEOUT', 'TTL', 'LIMIT', 'COUNT', 'SIZE', 'MAX', 'MIN', 'RETRIES', 'ATTEMPTS', 'WORKERS'],
    ...['THREADS', 'CONNECTIONS', 'MS', 'SECONDS', 'MINUTES', 'HOURS', 'DAYS', 'BYTES', 'MB'],
  ]),
  boolean: new Set(['DEBUG', 'ENABLED', 'DISABLED', 'TLS', 'SSL', 'STARTTLS']),
  list: new Set(['HOSTS', 'ORIGINS', 'DOMAINS', 'HOSTNAMES']),
};

const isSwitch = (name: string): boolean => /^(FEATURE|ENABLE|DISABLE|USE|IS)_/.test(name);

/** What a variable holds, by its name alone, in any case. */
export const kindOf = (name: string): Kind => {
  const upper = name.toUpperCase();
  if (/(^|_)LOG_?LEVEL$/.test(upper)) return 'log-level';
  const last = upper.split('_').at(-1)!;
  if (isSwitch(upper)) return LAST_WORDS.url.has(last) ? 'url' : 'boolean';
  for (const kind of ['url', 'integer', 'boolean', 'list'] as const)
    if (LAST_WORDS[kind].has(last)) return kind;
  return 'text';
};

const LEVELS = new Set([
  ...['trace', 'verbose', 'debug', 'info', 'notice', 'warn', 'warning', 'error', 'critical', 'fatal'],
  ...['alert', 'emergency', 'off', 'none', 'silent', 'notset'],
]);

const HOST =
  /^(\*|(\*?\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,60}\.?(:\d{1,5})?|\[[0-9a-f:.]{2,45}\](:\d{1,5})?)$/i;
const ORIGIN =
  /^(\*|null|[a-z][a-z0-9+.-]{0,30}:\/\/(\*\.)?([a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?)$/i;

const itemsOf = (text: string): string[] | null => {
  if (!text.trimStart().startsWith('[')) return text.split(/\s*,\s*|\s+/);
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null;
  } catch {
    return null;
  }
};

/** The most hosts a list is looked at for: the rule is a guess, and long lists are nobody's to wait for. */
const MAX_ITEMS = 1000;

const listProblem = (name: string, text: string): string | null => {
  const items = itemsOf(text.trim());
  const origins = name.toUpperCase().endsWith('ORIGINS');
  const wanted = origins ? 'origins (https://example.org)' : 'hosts (example.org)';
  if (items === null) return `It is neither a list of ${wanted} with commas nor one in JSON.`;
  const wrong = items.slice(0, MAX_ITEMS).findIndex((item) => !(origins ? ORIGIN : HOST).test(item));
  return wrong < 0 ? null : `Number ${wrong + 1} of the list is none of the ${wanted} it should hold.`;
};

const integerProblem = (name: string, text: string): string | null => {
  if (!/^[+-]?\d{1,30}$/.test(text)) return 'It is no whole number.';
  const isPort = name.toUpperCase().split('_').at(-1) === 'PORT';
  return isPort && (Number(text) < 0 || Number(text) > 65_535) ? 'It is no port (0 to 65535).' : null;
};

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(text) && URL.canParse(text);

const levelProblem = (text: string): string | null =>
  LEVELS.has(text.toLowerCase()) || /^\d{1,2}$/.test(text)
    ? null
    : 'It is no log level (such as debug, info, warning, error).';

/**
 * Why a text does not look like what the variable's name promises; null where it does. Only a guess, and never
 * repeats the text: it may be a secret.
 */
export const doubtOf = (name: string, text: string): string | null => {
  const kind = kindOf(name);
  if (kind === 'text') return null;
  if (text.trim() === '') return 'It is empty.';
  if (kind === 'url') return isUrl(text) ? null : 'It does not look like a URL (scheme://host…).';
  if (kind === 'integer') return integerProblem(name, text);
  if (kind === 'log-level') return levelProblem(text);
  if (kind === 'list') return listProblem(name, text);
  return readBoolean(text) === null
    ? 'It is no boolean in any of the styles in use (true/false, 1/0, on/off, yes/no).'
    : null;
};

/** Why a name is against the custom for variables; null where it is not. */
export const nameDoubtOf = (name: string): string | null => {
  if (name === EMPTY_NAME) return 'It has no name, so that nothing can look it up.';
  return /^[A-Z_][A-Z0-9_]*$/.test(name)
    ? null
    : /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
      ? 'It has lower-case letters, and applications look a variable up in its very case.'
      : 'It has characters no shell takes in the name of a variable (A-Z, a-z, 0-9 and _, no digit first).';
};
