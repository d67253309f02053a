import { EMPTY_NAME } from '@/lib/values/schema';
import { readBoolean } from '@/lib/values/style';
import { type Doubt, doubt } from './doubts';
import type { Kind } from './schema';

/** Last word of a name, by kind. Names such as `FEATURE_*` are booleans whatever their last word, except URLs. */
const LAST_WORDS: Record<Exclude<Kind, 'text' | 'log-level'>, ReadonlySet<string>> = {
  url: new Set(['URL', 'URI', 'DSN', 'ENDPOINT']),
  integer: new Set([
    'PORT',
    'TIMEOUT',
    'TTL',
    'LIMIT',
    'COUNT',
    'SIZE',
    'MAX',
    'MIN',
    'RETRIES',
    'ATTEMPTS',
    'WORKERS',
    'THREADS',
    'CONNECTIONS',
    'MS',
    'SECONDS',
    'MINUTES',
    'HOURS',
    'DAYS',
    'BYTES',
    'MB',
  ]),
  boolean: new Set(['DEBUG', 'ENABLED', 'DISABLED', 'TLS', 'SSL', 'STARTTLS']),
  list: new Set(['HOSTS', 'ORIGINS', 'DOMAINS', 'HOSTNAMES']),
};

const isSwitch = (name: string): boolean => /^(FEATURE|ENABLE|DISABLE|USE|IS)_/.test(name);

/** Kind of a variable, from its name only; case-insensitive. */
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
  'trace',
  'verbose',
  'debug',
  'info',
  'notice',
  'warn',
  'warning',
  'error',
  'critical',
  'fatal',
  'alert',
  'emergency',
  'off',
  'none',
  'silent',
  'notset',
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

/** Items of a list that are checked; the check is only a guess, so the rest is skipped. */
const MAX_ITEMS = 1000;

const listDoubt = (name: string, text: string): Doubt | null => {
  const items = itemsOf(text.trim());
  const origins = name.toUpperCase().endsWith('ORIGINS');
  if (items === null) return doubt(origins ? 'origins' : 'hosts');
  const wrong = items.slice(0, MAX_ITEMS).findIndex((item) => !(origins ? ORIGIN : HOST).test(item));
  return wrong < 0 ? null : doubt(origins ? 'origin' : 'host', { item: wrong + 1 });
};

const integerDoubt = (name: string, text: string): Doubt | null => {
  if (!/^[+-]?\d{1,30}$/.test(text)) return doubt('integer');
  const isPort = name.toUpperCase().split('_').at(-1) === 'PORT';
  return isPort && (Number(text) < 0 || Number(text) > 65_535) ? doubt('port') : null;
};

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(text) && URL.canParse(text);

const levelDoubt = (text: string): Doubt | null =>
  LEVELS.has(text.toLowerCase()) || /^\d{1,2}$/.test(text) ? null : doubt('level');

/**
 * Why a value does not match the kind that the name suggests; null if it does. Only a guess. Never quotes the value,
 * which may be secret.
 */
export const doubtOf = (name: string, text: string): Doubt | null => {
  const kind = kindOf(name);
  if (kind === 'text') return null;
  if (text.trim() === '') return doubt('empty');
  if (kind === 'url') return isUrl(text) ? null : doubt('url');
  if (kind === 'integer') return integerDoubt(name, text);
  if (kind === 'log-level') return levelDoubt(text);
  if (kind === 'list') return listDoubt(name, text);
  return readBoolean(text) === null ? doubt('boolean') : null;
};

/** Why a name is unusual for a variable; null if it is not. */
export const nameDoubtOf = (name: string): Doubt | null => {
  if (name === EMPTY_NAME) return doubt('noName');
  if (/^[A-Z_][A-Z0-9_]*$/.test(name)) return null;
  return doubt(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? 'lowerCase' : 'letters');
};
