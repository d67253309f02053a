import { looksRandom } from '@/lib/catalog/mask';

const SECRET_WORDS = new Set([
  ...['SECRET', 'SECRETS', 'SECRETKEY', 'PASSWORD', 'PASSWORDS', 'PASSWD', 'PASSPHRASE', 'PASS', 'PWD', 'PW'],
  ...['TOKEN', 'TOKENS', 'APITOKEN', 'KEY', 'KEYS', 'APIKEY', 'APIKEYS', 'ACCESSKEY', 'PRIVATEKEY', 'DSN'],
  ...['CREDENTIAL', 'CREDENTIALS', 'CRED', 'CREDS', 'PRIVATE', 'SALT', 'PEPPER', 'BEARER'],
]);

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');

const isSecretWord = (word: string): boolean => SECRET_WORDS.has(word.replace(/\d+$/, ''));

/**
 * Secret by name: one of its words is a secret word, in any case, optionally with a number (`dbPassword`, `API_KEY2`).
 * Only complete words count: `FEATURE_KEYBOARD` is not secret.
 */
export const isSecretName = (name: string): boolean => wordsOf(name).some(isSecretWord);

/** As `isSecretName`, but only the last word counts: `token_type` is not secret. */
export const endsWithSecretWord = (name: string): boolean => isSecretWord(wordsOf(name).at(-1) ?? '');

const SCHEME = /[a-z0-9]:\/\//gi;
/** A password may hold a slash; digits up to one are a port (`host:8080/@scope`). */
const PORT = /^\d{1,5}\//;
const MAX_URL_PART = 300;

/** Whether a text without white space and `@` ends with the name and the password of a URL. */
const endsWithPassword = (text: string): boolean => {
  for (const { index, 0: scheme } of text.matchAll(SCHEME)) {
    const from = index + scheme.length;
    const slash = text.indexOf('/', from);
    const end = Math.min(slash < 0 ? text.length : slash, from + MAX_URL_PART + 1);
    for (
      let colon = text.indexOf(':', from);
      colon >= 0 && colon < end;
      colon = text.indexOf(':', colon + 1)
    ) {
      const length = text.length - colon - 1;
      if (length >= 1 && length <= MAX_URL_PART && !PORT.test(text.slice(colon + 1, colon + 7))) return true;
    }
  }
  return false;
};

/** `redis://user:password@host`. Linear, because the text is untrusted: each `@` ends one short part. */
const holdsUrlPassword = (text: string): boolean => {
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', from)) {
    const part = text.slice(Math.max(from, at - 2 * MAX_URL_PART - 10), at);
    if (endsWithPassword(part.split(/\s/).at(-1)!)) return true;
    from = at + 1;
  }
  return false;
};

/** `?api_key=…` in an address, `password=…` in a connection string. */
const NAMED_SECRET =
  /(?:^|[?&;,\s])[\w-]{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|signature)=[^\s&;,]/i;
const PEM = /-----BEGIN [A-Z0-9 ]{1,60}-----/;
const DOTTED_RUNS = /[\w.-]{8,}/g;
const RUNS = /[\w\-.+/=~]{20,}/g;

/** A JWT: three parts, the first base64url of `{"`. Linear time, because the text is untrusted. */
const holdsJwt = (text: string): boolean =>
  (text.match(DOTTED_RUNS) ?? []).some((run) => {
    const at = run.indexOf('eyJ');
    if (at < 0) return false;
    const [header, payload, signature] = run.slice(at).split('.', 3);
    return header!.length >= 8 && !!payload && signature !== undefined;
  });

/** A URL with a password, a `password=…` or `key=…` pair, or PEM. */
export const holdsNamedSecret = (text: string): boolean =>
  holdsUrlPassword(text) || NAMED_SECRET.test(text) || PEM.test(text);

/**
 * Secret by shape: a URL with a password, a `password=…` or `key=…` pair, PEM, a JWT, or a run of characters that looks
 * random.
 */
export const looksSecret = (text: string): boolean =>
  holdsNamedSecret(text) || holdsJwt(text) || (text.match(RUNS) ?? []).some((run) => looksRandom(run));

const MIN_BINARY_KEY_LENGTH = 16;
const MAX_CHECKED_BYTES = 4096;

/** Whether bytes that are not text may be a binary key: at least 16 of high entropy. */
export const looksLikeKeyBytes = (bytes: Uint8Array): boolean => {
  const part = bytes.subarray(0, MAX_CHECKED_BYTES);
  if (part.length < MIN_BINARY_KEY_LENGTH) return false;
  const counts = new Map<number, number>();
  for (const byte of part) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / part.length) * Math.log2(count / part.length);
  return bits >= 0.85 * Math.log2(Math.min(part.length, 256));
};
