/** Words that make a name secret wherever they occur in it. */
const STRONG =
  'SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PWD PW TOKEN CREDENTIAL CREDENTIALS CRED CREDS ' +
  'BEARER AUTHORIZATION COOKIE COOKIES JWT CSRF XSRF OTP TOTP CVV CVC MNEMONIC REQUIREPASS MASTERAUTH PSWD PSW PASSW ' +
  'PSK HMAC PASSKEY PASSPHRASES';
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
  /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|COOKIE|AUTHORIZATION)S?\d*$|^(?:PASSWORD|PASSWD|SECRET(?!AR))|.(?<!COM|BY|TRES|OVER|UNDER|SUR)PASS$/;
/** Several words that together name a secret, with or without separators: `apiKey`, `seed_phrase`, `authcode`. */
const TOGETHER =
  /(?:API|SECRET|ACCESS|PRIVATE|ENCRYPTION|SIGNING|AUTH|MASTER|ACCOUNT|SHARED|HOST|SSH|SESSION)KEY|(?:PASS|PW)HASH|(?:SEED|RECOVERY)PHRASE|(?:VERIFICATION|VERIFY|CONFIRMATION|ACTIVATION|RECOVERY|BACKUP|AUTH|LOGIN|SIGNIN|SMS|PIN|FACTOR|2FA|MFA|ONETIME|SECURITY|RESET|UNLOCK)CODE|CODEVERIFIER|SECURITYANSWER|CONNECTIONSTRING|AUTHHEADER|KEYMATERIAL|KEYPEM|SAMLRESPONSE|CLIENTASSERTION/;
/** Ids of sessions, as cookies and frameworks name them, sign somebody in. */
const SESSION_ID = /SESS(?:ION)?ID$|^(?:CONNECT)?SID$/;

/** Most names contain none of these, so this cheap test excludes them first. */
const HINT =
  /pass|pwd|pw|psw|psk|secret|token|cred|bearer|auth|cookie|jwt|csrf|xsrf|otp|cv[vc]|mnemonic|key|dsn|private|salt|pepper|pin|hmac|sess|sid|phrase|code|answer|connection|saml|assertion|[^\0-\x7f]/i;

/** Invisible characters and wide letters hide no name. */
const plainName = (name: string): string =>
  /[^\0-\x7f]/.test(name) ? name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '') : name;

const wordsOf = (name: string): string[] =>
  plainName(name)
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_, end, begin, capital) =>
      capital ? `${capital}_` : `${end}_${begin}`,
    )
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !/^V?\d+$/.test(word));

const isStrong = (word: string): boolean => STRONG_WORDS.has(word.replace(/\d+$/, '')) || JOINED.test(word);
const isSessionId = (words: readonly string[]): boolean => SESSION_ID.test(words.join(''));
const areTogether = (words: readonly string[]): boolean =>
  TOGETHER.test(words.join('')) || isSessionId(words);
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
  return words.some((word) => isStrong(word) || isWeak(word)) || areTogether(words) || isAuth(words);
};

/** Like `isSecretName`, for words in running text: names such as `key` and `token_type` announce nothing there. */
export const announcesSecret = (name: string): boolean => {
  const words = wordsOf(name);
  if (ABOUT_WORDS.has(words.at(-1) ?? '')) return isSessionId(words);
  return words.some(isStrong) || areTogether(words) || /^SIG(?:NATURE)?$/.test(words.at(-1) ?? '');
};

/** Like `isSecretName`, for names described by the catalog: `password_hash` is secret, `token_type` is not. */
export const isDescribedSecret = (name: string): boolean => {
  if (!HINT.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (ABOUT_WORDS.has(last)) return isSessionId(words);
  return words.some(isStrong) || isWeak(last) || areTogether(words) || isAuth(words);
};

/**
 * Whether the name of a key without a family makes its value secret: fewer words than for fields, because a name such
 * as `key:1` reveals nothing. JWTs are excluded, because all but their signature may be shown.
 */
export const isSecretKeyName = (name: string): boolean =>
  wordsOf(name).some(
    (word) =>
      (isStrong(word) && word !== 'JWT') || PURPOSE_WORDS.has(word) || word === 'TOKENS' || word === 'DSN',
  ) || TOGETHER.test(name.replace(/[_-]/g, '').toUpperCase());

/** A text that may be the name of the value next to it. */
const NAME = /^(?:-{0,2}|\/(?:[\w.~-]{1,64}\/){0,10})[\w.-]{1,64}$/;

/** Whether a text of a list is the name of a secret that follows it (`["password", "…"]`). */
export const namesNext = (text: string, isSecret: (name: string) => boolean): boolean =>
  NAME.test(text) && isSecret(text);

const CARRIERS = setOf(
  'NAME KEY FIELD HEADER PARAM PARAMETER PROPERTY ATTRIBUTE ATTR LABEL ID K N PATH COLUMN VARIABLE SETTING OPTION',
);

/** Whether a field contains the name of a neighbouring value (`{"name": "password", "value": "…"}`). */
export const holdsName = (field: string): boolean => CARRIERS.has(field.toUpperCase());
