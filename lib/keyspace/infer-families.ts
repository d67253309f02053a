import { encodeText } from './bytes';
import * as grammars from './grammar';
import { type Cluster, classOf, isSlug, mostFrequent, type ValueClass } from './infer-clusters';
import type { KeySample, ProposedFamily } from './key-sample';
import { maskSecrets } from './mask';
import { FAMILY_TYPES, type TtlInFile } from './own/definition';
import type { GrammarInFile } from './own/fields';
import { defaultGrammar } from './own/grammars';
import { fitsGrammar, literalPattern } from './pattern';
import type { FamilyType } from './roles';

/** Words next to a parameter that make its values secrets, whatever they look like. */
const SECRET_WORDS =
  /(?:^|[^a-z])(?:sess(?:ion)?s?|tokens?|auth|oauth\d?|secrets?|csrf|xsrf|jwt|otp|refresh|reset|verif(?:y|ication)|invit(?:e|ation)|magic|nonce|api-?_?keys?|passw(?:or)?ds?|pwd?|login|sid)(?:[^a-z]|$)/iu;
/** Those that also occur next to names, such as the name of who signs in. */
const WEAK_WORDS = /(?:^|[^a-z])(?:sess(?:ion)?s?|auth|oauth\d?|login|refresh)(?=[^a-z]|$)/giu;
/** Words next to a parameter whose hexadecimal values are digests of the stored content. */
const DIGEST_WORDS =
  /(?:^|[^a-z])(?:hash(?:es)?|digests?|checksums?|etags?|fingerprints?|md5|sha\d*|commits?|blobs?|chunks?|objects?|assets?|files?|docs?|documents?|images?|imgs?|thumbs?|thumbnails?|avatars?|pages?|urls?|quer(?:y|ies)|html|fragments?|render(?:ed)?|caches?|content)(?:[^a-z]|$)/iu;
/** Lengths of SHA and MD5 digests, in hexadecimal digits. */
const DIGEST_LENGTHS = new Set([32, 40, 56, 64, 96, 128]);
/** Kinds that are never secrets, even next to words for secrets. */
const PLAIN: readonly ValueClass[] = ['digits', 'date', 'address', 'email'];
/** Names without parameters in which a secret follows such a word (`admin:password:…`). */
const NAMES_SECRET = /(?:passw(?:or)?d|pwd?|secret|token|otp|api-?_?key)s?[^A-Za-z0-9]+[A-Za-z0-9]/iu;
const SECRET_FIELDS = /token|secret|passw|pwd|api.?key|private|credential|salt/iu;
/** The share of values with a property from which it is assumed for all. */
const SOME = 0.2;
const MAX_CHECKED = 2000;
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE = 200;

const shareOf = <T>(all: readonly T[], is: (one: T) => boolean): number =>
  all.length === 0 ? 0 : all.filter(is).length / all.length;

/** The grammar a file must declare for a parameter with these values; undefined where the default fits. */
const grammarFor = (values: ReadonlySet<string>, following: string): GrammarInFile | undefined => {
  const list = [...values];
  const every = (kind: string) => list.every((value) => classOf(value) === kind);
  if (every('digits') && list.every(({ length }) => length <= 32)) return 'digits';
  if (every('uuid')) return 'uuid';
  if (every('jwt')) return 'jwt';
  const isHex = (value: string) => /^[0-9a-fA-F]{8,256}$/u.test(value);
  if (list.every(isHex) && list.some((value) => classOf(value) === 'hex')) return 'hex';
  if (every('address')) {
    if (list.every((value) => /^[\d.]+$/u.test(value))) return { chars: '0123456789.', min: 7, max: 15 };
    const isMac = list.some((value) => value.includes('-'));
    return { chars: `0123456789abcdefABCDEF:.${isMac ? '-' : ''}`, min: 2, max: 45 };
  }
  if (every('date') && list.every(({ length }) => length === 10)) {
    const chars = `0123456789${[...new Set(list.map((value) => value.charAt(4)))].join('')}`;
    return { chars, min: 10, max: 10 };
  }
  const fits = (grammar: grammars.Grammar) => list.every((value) => fitsGrammar(grammar, encodeText(value)));
  if (fits(defaultGrammar(following))) return undefined;
  return fits(grammars.segment) ? 'segment' : 'text';
};

const COMPACT = /^((?:199|20\d|210)\d)(0[1-9]|1[0-2])(?:(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])?)?$/u;
const [FIRST_SECOND, LAST_SECOND] = [Date.UTC(1990) / 1000, Date.UTC(2101) / 1000];

/** Digits that are a date (`20261128`, `202611`, `2026112810`) or Unix time. A single one may be an id. */
const isTime = (value: string): boolean => {
  const [, year, month, day] = COMPACT.exec(value) ?? [];
  if (year) return !day || new Date(Date.UTC(+year, +month! - 1, +day)).getUTCDate() === +day;
  const seconds = value.length === 13 ? Number(value) / 1000 : value.length <= 10 ? Number(value) : 0;
  return /^\d+$/u.test(value) && seconds >= FIRST_SECOND && seconds < LAST_SECOND;
};

/** The kind of most values, except that digits are dates only where all are. */
const kindOf = (values: readonly string[]): ValueClass =>
  new Set(values).size > 1 && values.every(isTime) ? 'date' : mostFrequent(values.map(classOf))!;

/** Codes of languages, countries and locales (`de`, `DE`, `pt-BR`, `zh_Hans_CN`). */
const IS_LOCALE = /^[a-z]{2,3}(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?$/iu;

const looksSecret = (value: string): boolean => {
  const kind = classOf(value);
  // Document databases write ids as 24 hexadecimal digits.
  if (kind === 'hex') return value.length >= 20 && value.length !== 24;
  return kind === 'jwt' || (kind === 'random' && /^[\w\-.+/=~]{20,}$/u.test(value));
};

const NAMES: Partial<Record<ValueClass, string>> = {
  word: 'name',
  random: 'name',
  date: 'date',
  address: 'address',
  email: 'email',
};

const nameFor = (
  kind: ValueClass,
  isDigest: boolean,
  sensitive: boolean,
  taken: ReadonlySet<string>,
): string => {
  const name = sensitive ? 'token' : isDigest ? 'hash' : (NAMES[kind] ?? 'id');
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}${i}`;
    if (!taken.has(candidate)) return candidate;
  }
};

const TYPES = new Map<string, FamilyType>([
  ...FAMILY_TYPES.map((type) => [type, type] as const),
  ['TSDB-TYPE', 'timeseries'],
]);

/** The types of the keys, most frequent first; string where none was read. */
const typesOf = (samples: readonly KeySample[]): FamilyType[] => {
  const counts = new Map<FamilyType, number>();
  for (const { type } of samples) {
    const known = type === null ? undefined : TYPES.get(type);
    if (known) counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  const types = [...counts].sort((a, b) => b[1] - a[1]).map(([type]) => type);
  return types.length > 0 ? types : ['string'];
};

const UNITS = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;
const USUAL = [1, 2, 5, 10, 15, 20, 30, 45, 60, 90].flatMap((count) =>
  [1, 60, 3600, 86_400].map((unit) => count * unit),
);
USUAL.push(604_800, 12 * 3600, 365 * 86_400);
USUAL.sort((a, b) => a - b);

const inWords = (seconds: number): string => {
  const [unit, length] = UNITS.find(
    ([, each]) => seconds % each === 0 && (each !== 604_800 || seconds === each),
  )!;
  return `${seconds / length}${unit}`;
};

/** Remaining TTLs are below the original one, so the longest is just below a usual TTL, or is rounded up. */
const ttlOf = (samples: readonly KeySample[]): TtlInFile => {
  const read = samples.map(({ ttlSeconds }) => ttlSeconds).filter((ttl) => ttl !== undefined);
  const rests = read.filter((ttl) => ttl !== null);
  if (read.length === 0 || (rests.length > 0 && rests.length < read.length)) return 'any';
  if (rests.length === 0) return 'persistent';
  const longest = Math.max(1, Math.ceil(rests.reduce((max, ttl) => Math.max(max, ttl), 0)));
  const usual = USUAL.find((seconds) => seconds >= longest);
  if (usual !== undefined && longest >= 0.8 * usual) return inWords(usual);
  const unit = longest > 2 * 86_400 ? 86_400 : longest > 7200 ? 3600 : longest > 120 ? 60 : 1;
  return inWords(Math.ceil(longest / unit) * unit);
};

const idOf = (literals: readonly string[]): string => {
  const words =
    literals
      .join(' ')
      .replace(/([a-z])([A-Z])/gu, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/gu) ?? [];
  const id = words.join('-').slice(0, 50).replace(/-$/u, '');
  return /^[a-z]/u.test(id) ? id : `keys-${id}`.replace(/-$/u, '');
};

/** For complete names that are values of one form: narrow enough to match no other keys. */
const bareGrammar = (value: string): GrammarInFile => {
  if (classOf(value) === 'uuid') return 'uuid';
  const [digits, letters] = ['0123456789', 'abcdefghijklmnopqrstuvwxyz'];
  const isHex = /^[0-9a-fA-F]+$/u.test(value);
  const chars = isHex ? `${digits}abcdefABCDEF` : `${digits}${letters}${letters.toUpperCase()}+/=`;
  return { chars, min: value.length, max: value.length };
};

/**
 * The proposal for a cluster, without the final count of its keys; null where it would have no fixed words, or contain
 * a secret.
 */
export const proposalOf = (cluster: Cluster, samples: readonly KeySample[]): ProposedFamily | null => {
  const literals = cluster.pieces.filter((piece) => piece !== null);
  const fixed = literals.join('');
  const isBare = cluster.pieces.length === 1 && cluster.pieces[0] === null;
  if (!isBare && (!/[\p{L}\p{N}]/u.test(fixed) || maskSecrets(fixed, true) !== fixed)) return null;
  if (!cluster.pieces.includes(null) && NAMES_SECRET.test(fixed)) return null;
  const hinted = SECRET_WORDS.test(fixed);
  const isWeak = !SECRET_WORDS.test(fixed.replaceAll(WEAK_WORDS, ' '));
  const params: Record<string, GrammarInFile> = {};
  const sensitive: string[] = [];
  const names = new Set<string>();
  let pattern = '';
  for (const [i, piece] of cluster.pieces.entries()) {
    if (piece !== null) {
      pattern += literalPattern(piece);
      continue;
    }
    const at = names.size;
    const values = cluster.items.map((item) => item.values[at]!);
    const checked = values.slice(0, MAX_CHECKED);
    const isLast = cluster.pieces.indexOf(null, i + 1) < 0;
    const kind = kindOf(checked);
    const isPlain =
      shareOf(
        checked,
        (value) => PLAIN.includes(classOf(value)) || IS_LOCALE.test(value) || (isWeak && isSlug(value)),
      ) >
      1 - SOME;
    const isDigest =
      !hinted &&
      DIGEST_WORDS.test(fixed) &&
      checked.every((value) => /^[0-9a-f]+$/iu.test(value) && DIGEST_LENGTHS.has(value.length));
    const isSecret =
      isBare || (!isDigest && shareOf(checked, looksSecret) >= SOME) || (hinted && isLast && !isPlain);
    const name = nameFor(kind, isDigest, isSecret, names);
    names.add(name);
    if (isSecret) sensitive.push(name);
    const grammar = isBare
      ? bareGrammar(checked[0]!)
      : grammarFor(new Set(values), cluster.pieces[i + 1] ?? '');
    if (grammar !== undefined) params[name] = grammar;
    pattern += `{${name}}`;
  }
  if (pattern.length > 500) return null;
  const own = cluster.items.map(({ index }) => samples[index]!);
  const [type, ...otherTypes] = typesOf(own);
  const looked = own.filter(({ secretValue }) => secretValue !== undefined);
  const fields = new Set(own.flatMap((sample) => sample.fields ?? []));
  return {
    id: isBare ? 'bare-ids' : idOf(literals),
    pattern,
    params,
    type: type!,
    otherTypes,
    ttl: ttlOf(own),
    sensitive,
    // Members next to such a word are tokens themselves.
    sensitiveValue:
      (hinted && ['set', 'zset', 'list'].includes(type!)) ||
      shareOf(looked, ({ secretValue }) => secretValue === true) >= SOME,
    sensitiveFields: [...fields]
      .filter((field) => SECRET_FIELDS.test(field) && /^[^\r\n]{1,200}$/u.test(field))
      .slice(0, 20),
    keys: cluster.items.length,
    examples: sensitive.length > 0 || hinted ? [] : examplesOf(own),
  };
};

const examplesOf = (samples: readonly KeySample[]): string[] =>
  samples
    .filter(({ mayBeSecret }) => mayBeSecret !== true)
    .slice(0, 10 * MAX_EXAMPLES)
    .map(({ key }) => Buffer.from(key).toString('utf8'))
    .filter((key) => key.length <= MAX_EXAMPLE && maskSecrets(key, true) === key)
    .slice(0, MAX_EXAMPLES);
