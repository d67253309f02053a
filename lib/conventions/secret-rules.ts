import 'server-only';
import { looksRandom } from '@/lib/keyspace/mask';
import { isDescribedSecret } from '@/lib/keyspace/secret-name';
import { announcedRuns } from '@/lib/keyspace/secret-text';
import { nameParts } from './key-name';
import { keyRule } from './name-rules';
import type { KeyFacts, KeyRule } from './rule';
import { NO_TTL } from './value-rules';

const JWT = /eyJ[\w-]{5,}\.[\w-]+\./u;
/** A digest or a UUID is random but not a secret, as in `cache:query:{md5}`. */
const DIGEST = /^(?:[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/iu;

/** `"password": "…"`, with the beginning of the value. A number, or a reference such as `null`, does not match. */
const JSON_SECRET =
  /"[\w-]{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)"\s*:\s*"((?:[^"\\]|\\.){1,200})/giu;
/** Text without any break. Longer text is content. */
const ONE_RUN = /^[\w\-+=][\w\-+/=]{19,511}$/u;
const OBJECT_ID = /^[0-9a-f]{24}$/iu;

const holdsJsonSecret = (text: string): boolean =>
  [...text.matchAll(JSON_SECRET)].some(([, value]) => !isDigest(value!));

/** A secret that the text announces, unless it is a digest, a number, or a reference such as `null`. */
const announcesClear = (text: string): boolean =>
  announcedRuns(text).some(([start, end]) => {
    const [value] = /^[^\s"'&;,]*/u.exec(text.slice(start, end))!;
    return !isDigest(value) && !/^(?:null|none|true|false|[\d.]+)?[}\]]*$/iu.test(value);
  });

/** Text with a digit and a letter that looks generated, and does not have the form of an id or a digest. */
const isToken = (text: string): boolean =>
  looksRandom(text) &&
  /\d/u.test(text) &&
  /[a-z]/iu.test(text) &&
  !DIGEST.test(text) &&
  !OBJECT_ID.test(text);

/**
 * The kind of secret that a text contains by its form or, with `byEntropy`, looks like; null for none. Never contains
 * a character of the secret.
 */
export const secretKind = (text: string, byEntropy: boolean): string | null => {
  if (JWT.test(text)) return 'a JWT';
  if (announcesClear(text) || holdsJsonSecret(text)) return 'a password or token by its name';
  return byEntropy && ONE_RUN.test(text) && isToken(text) ? 'looks like a token' : null;
};

/** Whether a stored secret is a digest: a password hash, or hexadecimal. */
export const isDigest = (text: string): boolean =>
  DIGEST.test(text) ||
  /^\$(?:2[abxy]?|argon2\w*|scrypt|5|6|pbkdf2[\w-]*)\$/u.test(text) ||
  /^(?:pbkdf2|scrypt|argon2|bcrypt|sha\d+)[\w-]*[:$]/iu.test(text);

/** Without one of these marks a name contains neither a JWT nor a password, so most names need no further check. */
const MARKS = ['eyJ', '=', '@', '-----'];

const nameFault = (facts: KeyFacts): string | null => {
  const { family } = facts.found;
  if (family?.sensitive?.length) return `name: {${family.sensitive.join('}, {')}}`;
  const parts = nameParts(facts);
  const kind = MARKS.some((mark) => facts.key.includes(mark)) ? secretKind(parts.join(':'), false) : null;
  if (kind) return `name: ${kind}`;
  if (family) return null;
  // The first part of a name may be a long word.
  const at = parts.findIndex((part, i) =>
    i === 0 ? isToken(part) : looksRandom(part) && !DIGEST.test(part),
  );
  if (at < 0) return null;
  const follows = at > 0 && isDescribedSecret(parts[at - 1]!);
  return `name: part ${at + 1} ${follows ? 'follows a secret word' : 'looks like a token'}`;
};

const STATES: readonly unknown[] = ['sign-in-state', 'verification-token', 'state'];

const abandonedFault = ({ found: { family }, ttlMs, look }: KeyFacts): string | null => {
  if (family?.role === 'legacy-session') return 'a legacy session key';
  if (family?.role === 'session-index') return look?.isDangling ? 'none of its sessions is stored' : null;
  return ttlMs === NO_TTL ? 'a state that never expires' : null;
};

const LEFT: readonly unknown[] = ['legacy-session', 'session-index', ...STATES];

export const SECRET_RULES: readonly KeyRule[] = [
  keyRule(
    'secrets-in-clear',
    () => true,
    (facts) => nameFault(facts) ?? facts.look?.secrets[0] ?? null,
    (facts) => facts.type === '' && nameFault(facts) === null,
  ),
  keyRule(
    'abandoned-keys',
    ({ found }) => LEFT.includes(found.family?.role),
    abandonedFault,
    ({ found: { family }, type, ttlMs }) =>
      family?.role === 'session-index' ? type === '' : STATES.includes(family?.role) && Number.isNaN(ttlMs),
  ),
];
