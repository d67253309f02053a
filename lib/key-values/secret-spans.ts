import 'server-only';
import { secretRuns } from '@/lib/keyspace/mask';
import { announcesSecret, holdsName, namesNext } from '@/lib/keyspace/secret-name';
import { blockRuns, outerRuns, pemRuns, plainText } from '@/lib/keyspace/secret-text';

/** What is a secret in the values of a key. */
export interface MaskRules {
  /** Long random-looking runs are secrets too: for values that the catalog does not describe, or that are guarded. */
  strict: boolean;
  /** Nothing is a secret: whoever may has asked to see it. */
  revealed?: boolean;
  /** Fields of a hash or of an object, at any depth, whose value is a secret. */
  isSecretField(name: string): boolean;
}

/** The rules of a reveal: nothing that only looks like a secret is one. */
export const REVEALED: MaskRules = { strict: false, revealed: true, isSecretField: () => false };

/** Bytes to replace; `quoted` where the replacement must be a string of its own. */
export interface Span {
  start: number;
  end: number;
  quoted: boolean;
}

const [QUOTE, APOSTROPHE, BACKSLASH] = ['"', "'", '\\'];
/** A string is examined as JSON inside JSON this often. */
const MAX_INNER = 3;
const MAX_NAME = 200;
/** `pw=x` */
const MIN_PLAIN = 4;
/** Too short to be a secret by its form: this saves most of the time. */
const WORD_ALONE = /^[\w.-]{0,15}$/;

/** The end of a string, after its closing quote (or three of them); the end of the text where it has none. */
const stringEnd = (text: string, start: number): number => {
  const quote = text[start]!;
  const three = quote.repeat(3);
  if (text.startsWith(three, start)) {
    const end = text.indexOf(three, start + 3);
    return end < 0 ? text.length : end + 3;
  }
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
};

/** What JSON, or a Python literal, begins with; `[section]` begins an INI or TOML file. */
const STRUCTURE = /^\s*(?:[{("']|\[(?![\w. -]{1,100}\]\s*\n))/;
const SPACE = /\s/;
const skipSpace = (text: string, start: number): number => {
  let at = start;
  while (at < text.length && SPACE.test(text[at]!)) at++;
  return at;
};

/** An apostrophe begins a string of a Python literal only where a value may begin; otherwise it is one of prose. */
const beginsString = (text: string, at: number): boolean => {
  if (text[at] === QUOTE) return true;
  if (text[at] !== APOSTROPHE) return false;
  let before = at - 1;
  while (before >= 0 && SPACE.test(text[before]!)) before--;
  return before < 0 || '{[(,:=>'.includes(text[before]!);
};

const SIMPLE_ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Most strings have neither. */
const ESCAPED_OR_WIDE = /[\\\x80-\xff]/;

/** The text of a string without its quotes and escapes. */
const unescapeText = (text: string): string => {
  if (!ESCAPED_OR_WIDE.test(text)) return text;
  return Buffer.from(text, 'latin1')
    .toString('utf8')
    .replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, wide, byte, other) =>
      wide || byte
        ? String.fromCharCode(Number.parseInt(wide ?? byte, 16))
        : (SIMPLE_ESCAPES[other] ?? other),
    );
};

/** The end of a value: of a string, a balanced object or list, or a word. No recursion, as depth is the sender's. */
const valueEnd = (text: string, start: number): number => {
  if (beginsString(text, start)) return stringEnd(text, start);
  if (!'{[('.includes(text[start] ?? ' ')) {
    let at = start;
    while (at < text.length && !/[,}\])\s]/.test(text[at]!)) at++;
    return at;
  }
  let depth = 0;
  let at = start;
  while (at < text.length) {
    if (beginsString(text, at)) {
      at = stringEnd(text, at);
      continue;
    }
    if ('{[('.includes(text[at]!)) depth++;
    if ('}])'.includes(text[at]!) && --depth === 0) return at + 1;
    at++;
  }
  return at;
};

/** `name: value` and `name=value` outside of strings, as in YAML, `.env` files and queries. */
const PAIR =
  /(?<![\w.-])([\w.-]{1,100})([ \t]{0,20}(?:[=-]>|[:=])[ \t]{0,20})('[^'\n]{0,1000}'?|[^\s"'{[(,;&>][^\s,;&]*)/g;
/** An element of XML with its text. */
const ELEMENT = /(<([\w:.-]{1,100})(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?)([^<]*)/g;
const WORD = /[\w.-]/;

/** The text of secret elements, of those inside of them, and of those that follow a name (`<key>password</key>`). */
const elementRuns = (text: string, isSecret: (name: string) => boolean): [start: number, end: number][] => {
  const runs: [start: number, end: number][] = [];
  let followsName = false;
  let masked = 0;
  for (const { 1: tag, 2: name, 3: inner, index } of text.includes('<') ? text.matchAll(ELEMENT) : []) {
    const from = index + tag!.length;
    if (from < masked) continue;
    const isEmpty = inner!.trim() === '';
    const isNamed = isSecret(name!) && !holdsName(name!);
    if (isNamed && isEmpty) {
      const end = text.indexOf(`</${name}`, from);
      masked = end < 0 ? text.length : end;
      runs.push([from, masked]);
    } else if (followsName || isNamed) runs.push([from, from + inner!.length]);
    followsName = !isEmpty && holdsName(name!) && namesNext(inner!.trim(), isSecret);
  }
  return runs;
};

/** What is between a name and its string in the sessions of PHP. */
const PHP_SESSION = /(?<=\|)s:\d{1,9}:$/;
const PHP_LENGTH = /(?:^|[;{|])s:(\d{1,9}):$/;

/** The end of a string of PHP's serialize(), which escapes nothing: its length is in front of it. Null for others. */
const phpStringEnd = (text: string, start: number): number | null => {
  if (text[start] !== QUOTE || text[start - 1] !== ':') return null;
  const length = PHP_LENGTH.exec(text.slice(Math.max(0, start - 13), start))?.[1];
  const end = start + 1 + Number(length);
  return length !== undefined && text[end] === QUOTE ? end + 1 : null;
};

/** The name in front of a quoted value (`name = "…"`, `name: "…"`, `:name=>"…"`, `--name "…"`); empty where there is none. */
const nameBefore = (text: string, start: number): string => {
  const php = text[start - 1] === ':' ? PHP_SESSION.exec(text.slice(Math.max(0, start - 13), start)) : null;
  let at = start - (php?.[0].length ?? 0);
  const skipBack = (): void => {
    for (let most = 20; most > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t'); most--) at--;
  };
  skipBack();
  if (text[at - 1] === '>') at--;
  const isAssigned = (php ? /\|/ : /[=:]/).test(text[at - 1] ?? ' ');
  if (isAssigned) {
    at--;
    skipBack();
  }
  const end = at;
  while (at > 0 && end - at < 100 && WORD.test(text[at - 1]!)) at--;
  const name = text.slice(at, end);
  if (name === '') return '';
  return isAssigned || name.startsWith('--') || announcesSecret(name) ? name : '';
};

/** The value behind a name in PHP's serialize(): of a string its length follows. */
const PHP_VALUE = /;(?:s:(\d{1,9}):"|[idb]:[^;]{0,40}|[aOCE]:)/y;
/** How PHP marks protected and private properties. */
const PHP_SCOPE = /^\0[^\0]{0,200}\0/;

/** Merges overlapping spans. */
const merged = (spans: readonly Span[]): Span[] => {
  const out: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1);
    if (last && span.start < last.end) {
      last.end = Math.max(last.end, span.end);
      last.quoted &&= span.quoted;
    } else out.push({ ...span });
  }
  return out;
};

const JWK = /"kty"\s{0,20}:/;
const PRIVATE_PARTS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']);

/** The rules for JSON with keys, whose private parts have names of one letter (RFC 7517). */
const withPrivateParts = (rules: MaskRules): MaskRules => ({
  ...rules,
  isSecretField: (name) => PRIVATE_PARTS.has(name) || rules.isSecretField(name),
});

class Finder {
  readonly spans: Span[] = [];
  /** Where the objects begin that are open. */
  private readonly open: number[] = [];
  private readonly text: string;
  private readonly rules: MaskRules;
  private readonly inner: number;

  constructor(text: string, rules: MaskRules, inner: number) {
    this.text = plainText(text);
    this.rules = JWK.test(text) ? withPrivateParts(rules) : rules;
    this.inner = inner;
  }

  private add(start: number, end: number, quoted = false): void {
    if (end > start) this.spans.push({ start, end, quoted });
  }

  /** Text without structure: outside of strings, or inside of one that is not the name of a field. */
  private plain(start: number, end: number, isInString = false): void {
    if (end - start < MIN_PLAIN) return;
    const text = this.text.slice(start, end);
    if (WORD_ALONE.test(text) && !text.includes('eyJ')) return;
    const { strict, isSecretField } = this.rules;
    const found = [...secretRuns(text, strict)];
    // In titles and the like a `key:` is a word of prose.
    const isNamed = (name: string) => isSecretField(name) && (strict || !isInString || announcesSecret(name));
    found.push(...elementRuns(text, isNamed));
    for (const { 0: pair, 1: name, 2: between, index } of text.matchAll(PAIR))
      if (isNamed(name!)) found.push([index + name!.length + between!.length, index + pair.length]);
    for (const [from, to] of found) this.add(start + from, start + to);
  }

  /** `start` and `end` are inside its quotes. */
  private string(start: number, end: number): void {
    const raw = this.text.slice(start, end);
    if ((raw.includes(BACKSLASH) || raw.includes(QUOTE)) && this.hidesSecret(unescapeText(raw)))
      this.add(start, end);
    else this.plain(start, end, true);
  }

  /** Whether escaped text, perhaps an object written as a string, has a secret: it is masked as a whole then. */
  private hidesSecret(text: string): boolean {
    if (this.inner >= MAX_INNER) return true;
    return findSpans(Buffer.from(text).toString('latin1'), this.rules, this.inner + 1).length > 0;
  }

  /** The value of a secret property in PHP's serialize(), behind the end of its name. Where it ends. */
  private php(start: number, inside: number, end: number): number {
    const { text } = this;
    PHP_VALUE.lastIndex = end;
    const found = PHP_VALUE.exec(text);
    if (!found || !this.rules.isSecretField(text.slice(start, inside).replace(PHP_SCOPE, ''))) return end;
    const from = PHP_VALUE.lastIndex;
    if (found[1] !== undefined) {
      this.add(from, Math.min(from + Number(found[1]), text.length));
      return Math.min(from + Number(found[1]) + 1, text.length);
    }
    if (/[aOCE]:$/.test(found[0])) {
      this.add(from, text.length);
      return text.length;
    }
    this.add(end + 3, from);
    return from;
  }

  /** The value at `from`, of a field or of a list: what is null or a boolean is none. Where it ends. */
  private value(from: number): number {
    const { text } = this;
    const to = valueEnd(text, from);
    if (beginsString(text, from))
      this.add(from + 1, text[to - 1] === text[from] && to - from > 1 ? to - 1 : to);
    else if (!/^(?:null|None|true|false|True|False)$/.test(text.slice(from, to))) this.add(from, to, true);
    return to;
  }

  /** What follows the name of a secret in a list, or is beside it in its object. Where that ends. */
  private beside(end: number, field: string): number {
    const { text } = this;
    if (holdsName(field)) {
      const from = this.open.pop() ?? end;
      const newline = text.indexOf('\n', end);
      const to = from < end ? valueEnd(text, from) : newline < 0 ? text.length : newline;
      this.add(from, to, from < end);
      return to;
    }
    const comma = skipSpace(text, end);
    if (field !== '' || text[comma] !== ',') return end;
    const from = skipSpace(text, comma + 1);
    const to = valueEnd(text, from);
    return text[skipSpace(text, to)] === ':' ? end : this.value(from);
  }

  find(): Span[] {
    const { text, rules, open } = this;
    const isPlain = !STRUCTURE.test(text);
    const isNamed = (name: string) => rules.isSecretField(name);
    const around = isPlain
      ? [
          ...(/["']/.test(text) ? outerRuns(text) : []),
          ...blockRuns(text, isNamed),
          ...elementRuns(text, isNamed),
        ]
      : [];
    for (const [start, end] of [...pemRuns(text), ...around]) this.add(start, end);
    let plainFrom = 0;
    let at = 0;
    let field = '';
    while (at < text.length) {
      if (!beginsString(text, at)) {
        if (text[at] === '{') open.push(at);
        else if (text[at] === '}') open.pop();
        if (text[at] === ',' || text[at] === '[') field = '';
        at++;
        continue;
      }
      this.plain(plainFrom, at);
      const end = phpStringEnd(text, at) ?? stringEnd(text, at);
      const isClosed = end - at > 1 && text[end - 1] === text[at];
      const inside = isClosed ? end - 1 : end;
      const colon = skipSpace(text, end);
      const content = inside - at - 1 <= MAX_NAME ? unescapeText(text.slice(at + 1, inside)) : '';
      const behind = colon + (text.startsWith('=>', colon) ? 2 : 1);
      if ((text[colon] === ':' || behind === colon + 2) && inside - at - 1 <= MAX_NAME) {
        field = content;
        const from = skipSpace(text, behind);
        if (rules.isSecretField(field) && !(holdsName(field) && beginsString(text, from)))
          at = Math.max(this.value(from), behind);
        else {
          this.string(at + 1, inside);
          at = behind;
        }
      } else {
        const named = nameBefore(text, at) || field;
        if (rules.isSecretField(named)) this.add(at + 1, inside);
        else this.string(at + 1, inside);
        const php = text[end] === ';' && inside - at <= MAX_NAME ? this.php(at + 1, inside, end) : end;
        at = php === end && namesNext(content, rules.isSecretField) ? this.beside(end, named) : php;
      }
      plainFrom = at;
    }
    this.plain(plainFrom, text.length);
    return merged(this.spans);
  }
}

/**
 * Where secrets are in text given as latin1 (one character a byte): values of secret fields in JSON, Python literals and
 * `name=value` lines, JWTs, URLs with passwords, PEM and, with `strict`, random-looking runs. Works on a part of a value
 * and on damaged JSON; linear, without recursion over its depth. In order.
 */
export const findSpans = (text: string, rules: MaskRules, inner = 0): Span[] =>
  rules.revealed ? [] : new Finder(text, rules, inner).find();

/**
 * As `findSpans`, for text from the middle of a value: whether it begins inside a string cannot be known, so what either
 * reading finds is a secret.
 */
export const findSpansInside = (text: string, rules: MaskRules): Span[] =>
  merged(
    ['', QUOTE, APOSTROPHE].flatMap((opened) =>
      findSpans(opened + text, rules).map(({ start, end, quoted }) => ({
        start: Math.max(0, start - opened.length),
        end: end - opened.length,
        quoted,
      })),
    ),
  ).filter(({ start, end }) => end > start);

/** A field and its value, as far as they were read. */
type Pair = readonly [name: { bytes: Buffer }, value: { bytes: Buffer }];

/** The rules for fields of one hash or entry: where one of them names another (`name`: `password`), all are secrets. */
export const rulesForFields = (rules: MaskRules, pairs: readonly Pair[]): MaskRules => {
  const isNamed = pairs.some(
    ([name, value]) =>
      holdsName(name.bytes.toString('latin1')) &&
      namesNext(value.bytes.toString('latin1'), rules.isSecretField),
  );
  return isNamed ? { ...rules, isSecretField: () => true } : rules;
};

/** Whether an element of a list follows the name of a secret. */
export const followsName = (rules: MaskRules, before: Buffer | undefined): boolean =>
  before !== undefined && namesNext(before.toString('latin1'), rules.isSecretField);

/** Words in bytes that are no text, as names of fields in pickles, Java or BSON. Shorter ones occur by chance. */
const NAMES_IN_BYTES = /[A-Za-z_][\w.-]{4,99}/g;

/**
 * Whether bytes that are no text, given as latin1, name a secret field: where its value is cannot be known. The byte behind
 * the name may be a letter too, as in Java.
 */
export const namesSecretField = (text: string, rules: MaskRules): boolean =>
  (text.match(NAMES_IN_BYTES) ?? []).some(
    (name) => rules.isSecretField(name) || rules.isSecretField(name.slice(0, -1)),
  );
