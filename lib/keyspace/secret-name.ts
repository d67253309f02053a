/** Words that make a name secret wherever they occur in it. */
const STRONG =
  'SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PWD PW TOKEN CREDENTIAL CREDENTIALS CRED CREDS ' +
  'BEARER AUTHORIZATION COOKIE COOKIES JWT CSRF XSRF OTP TOTP CVV CVC MNEMONIC REQUIREPASS MASTERAUTH';
/** Words with other common meanings: in a name described by the catalog only the last word counts. */
const WEAK = 'TOKENS PASS KEY KEYS APIKEY APIKEYS DSN PRIVATE SALT PEPPER PIN';
/** Last words that describe a property of a secret. */
const ABOUT =
  'TYPE TYPES COUNT COUNTS LIMIT AT ON EXPIRES EXPIRY EXPIRATION TTL NAME LENGTH VERSION USED REQUIRED POLICY ID IDS ' +
  'CHANGED ENABLED STATUS';
/** Words of keys whose value signs somebody in, or authorises a similar action. */
const PURPOSES =
  'RESET PWRESET VERIFY VERIFICATION CONFIRM CONFIRMATION ACTIVATE ACTIVATION MAGIC MAGICLINK INVITE INVITATION RECOVERY ' +
  'UNLOCK MFA 2FA NONCE PKCE OAUTH OTP';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const [STRONG_WORDS, WEAK_WORDS, ABOUT_WORDS, PURPOSE_WORDS] = [STRONG, WEAK, ABOUT, PURPOSES].map(setOf) as [
  ...[ReadonlySet<string>, ReadonlySet<string>, ReadonlySet<string>, ReadonlySet<string>],
];
/** Names without separators: `userpassword`, `accesstoken`, `passwordhash`. */
const JOINED =
  /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|COOKIE|AUTHORIZATION)S?\d*$|^(?:PASSWORD|PASSWD|SECRET(?!AR))/;
const JOINED_KEY = /(?:API|SECRET|ACCESS|PRIVATE|ENCRYPTION|SIGNING)KEY/;

/** Most names contain none of these, so this cheap test excludes them first. */
const HINT =
  /pass|pwd|pw|secret|token|cred|bearer|auth|cookie|jwt|csrf|xsrf|otp|cv[vc]|mnemonic|key|dsn|private|salt|pepper|pin/i;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_, end, begin, capital) =>
      capital ? `${capital}_` : `${end}_${begin}`,
    )
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !/^V?\d+$/.test(word));

const isStrong = (word: string): boolean => STRONG_WORDS.has(word.replace(/\d+$/, '')) || JOINED.test(word);
const isWeak = (word: string): boolean => WEAK_WORDS.has(word.replace(/\d+$/, ''));
/** `x-auth` is secret, whereas `auth_provider` names a provider. */
const isAuth = (words: readonly string[]): boolean => words.at(-1) === 'AUTH';

/**
 * Secret by name: one of its words is a secret word, in any case, optionally with a number (`dbPassword`, `API_KEY2`,
 * `x-auth-token`). Only complete words count: `FEATURE_KEYBOARD` is not secret.
 */
export const isSecretName = (name: string): boolean => {
  if (!HINT.test(name)) return false;
  const words = wordsOf(name);
  return (
    words.some((word) => isStrong(word) || isWeak(word)) || JOINED_KEY.test(words.join('')) || isAuth(words)
  );
};

/** Like `isSecretName`, for words in running text: names such as `key` and `token_type` announce nothing there. */
export const announcesSecret = (name: string): boolean => {
  const words = wordsOf(name);
  if (ABOUT_WORDS.has(words.at(-1) ?? '')) return false;
  return (
    words.some(isStrong) || JOINED_KEY.test(words.join('')) || /^SIG(?:NATURE)?$/.test(words.at(-1) ?? '')
  );
};

/** Like `isSecretName`, for names described by the catalog: `password_hash` is secret, `token_type` is not. */
export const isDescribedSecret = (name: string): boolean => {
  if (!HINT.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (ABOUT_WORDS.has(last)) return false;
  return words.some(isStrong) || isWeak(last) || JOINED_KEY.test(words.join('')) || isAuth(words);
};

/**
 * Whether the name of a key without a family makes its value secret: fewer words than for fields, because a name such
 * as `key:1` reveals nothing. JWTs are excluded, because all but their signature may be shown.
 */
export const isSecretKeyName = (name: string): boolean =>
  wordsOf(name).some(
    (word) =>
      (isStrong(word) && word !== 'JWT') || PURPOSE_WORDS.has(word) || word === 'TOKENS' || word === 'DSN',
  ) || JOINED_KEY.test(name.replace(/[_-]/g, '').toUpperCase());

/** A text that may be the name of the value next to it. */
const NAME = /^-{0,2}[\w.-]{1,64}$/;

/** Whether a text of a list is the name of a secret that follows it (`["password", "…"]`). */
export const namesNext = (text: string, isSecret: (name: string) => boolean): boolean =>
  NAME.test(text) && isSecret(text);

const CARRIERS = setOf('NAME KEY FIELD HEADER PARAM PARAMETER PROPERTY ATTRIBUTE ATTR LABEL ID K N');

/** Whether a field contains the name of a neighbouring value (`{"name": "password", "value": "…"}`). */
export const holdsName = (field: string): boolean => CARRIERS.has(field.toUpperCase());
