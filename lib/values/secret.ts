import 'server-only';
import { looksRandom } from '@/lib/catalog/mask';

const SECRET_WORDS = new Set([
  ...['SECRET', 'SECRETS', 'PASSWORD', 'PASSWORDS', 'PASSWD', 'PASSPHRASE', 'PASS', 'PWD'],
  ...['TOKEN', 'TOKENS', 'KEY', 'KEYS', 'APIKEY', 'DSN', 'CREDENTIAL', 'CREDENTIALS', 'PRIVATE', 'SALT'],
]);

/** Secret by name: one of its whole `_`-separated words says so. `FEATURE_KEYBOARD` is not. */
export const isSecretName = (name: string): boolean =>
  name
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .some((word) => SECRET_WORDS.has(word));

const URL_WITH_PASSWORD = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@]{0,300}:[^\s/@]{1,300}@/i;
const PEM = /-----BEGIN [A-Z0-9 ]{1,60}-----/;
const JWT = /eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/;
const RUNS = /[\w\-.+/=~]{20,}/g;

/** Secret by shape: a URL with a password, PEM, a JWT, or a run of characters that looks made by a generator. */
export const looksSecret = (text: string): boolean =>
  URL_WITH_PASSWORD.test(text) ||
  PEM.test(text) ||
  JWT.test(text) ||
  (text.match(RUNS) ?? []).some((run) => looksRandom(run));
