import { announcesSecret, holdsName } from './secret-name';

/** Secrets that running text announces. Every pattern takes linear time, because the text is untrusted. */

export type Run = readonly [start: number, end: number];

const SCHEME = /[a-z0-9]:\/\//gi;
/** A password may contain a slash; digits before one are a port (`host:8080/@scope`). */
const PORT = /^\d{1,5}\//;
const MAX_URL_PART = 300;

/**
 * The index after the scheme of a URL whose user name and password end the text, which has no white space and no `@`;
 * -1 without one.
 */
const passwordUrl = (text: string): number => {
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
      if (length >= 1 && length <= MAX_URL_PART && !PORT.test(text.slice(colon + 1, colon + 7))) return index;
    }
  }
  return -1;
};

const schemeStart = (text: string, end: number): number => {
  let start = end;
  while (start > 0 && /[\w+.-]/.test(text[start - 1]!)) start--;
  return start;
};

/** The index of `redis://user:password@host`; -1 without one. Linear: each `@` ends one short part. */
const urlWithPassword = (text: string): number => {
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', from)) {
    const start = Math.max(from, at - 2 * MAX_URL_PART - 10);
    const part = text.slice(start, at).split(/\s/).at(-1)!;
    const found = passwordUrl(part);
    if (found >= 0) return schemeStart(text, at - part.length + found);
    from = at + 1;
  }
  return -1;
};

/** A word, or two where one alone announces nothing (`api key`, `one-time code`). */
const NAMES =
  /(?<![\w.-])(?:(?:api|secret|access|private|encryption|signing|auth|master|verification|confirmation|activation|recovery|backup|one-time|security|login|sms|reset|seed)[ \t](?:key|code|phrase)s?(?![\w.-])|-{0,2}[\w.-]{1,100})/gi;
/** A line without any of these contains no name of a secret. */
const HINT =
  /pass|pwd|pw|secret|token|cred|cookie|auth|bearer|jwt|csrf|xsrf|digest|otp|cv[vc]|mnemonic|key|sig|psw|psk|hmac|sess(?:ion)?_?id|\bsid\b|\bpin\b|code|phrase/i;
/** `?api_key=…`, `password: …`, `"token": "…"`, `pin%3D…`: the value is assumed to extend to the end of its line. */
const ASSIGNED =
  /\]{0,3}["']?[ \t]{0,20}(?:[=-]>|[+?*]?=(?!>)|:=|%3[ad]|:(?=[ \t"'])|\((?=["']))[ \t]{0,20}(?:["']{0,3}(?=[^\s&;,"'])|(?=&\w{1,40}[ \t]))/iy;
/** `--password x`, `password is x1`, as in arguments and chats. In prose the next word has letters only. */
const BESIDE = /[ \t]{1,4}(?:(?:is|was|to):?[ \t]{1,4})?["']?([^\s"']{1,300})/y;
const PROSE_WORD = /^[A-Za-z]?[a-z]*\W*$/;
/** Headers whose value extends to the end of the line. */
const HEADER =
  /(?<![\w-])(?:(?:(?:proxy-)?authorization|(?:set-)?cookie)["']?[ \t]{0,20}:[ \t]{0,20}(?=\S)|digest[ \t]{1,20}(?=[a-z]{1,20}=))/i;
/** The value after the scheme of an Authorization header, excluding words that follow it in prose. */
const BEARER =
  /(?<![\w-])(?:bearer|dpop)[ \t]{1,20}["']?(?!(?:tokens?|auth\w{0,15}|of|is|was|or|and|scheme|realm|headers?|credentials?)(?![\w\-.+/=~]))([\w\-.+/=~:]{4,})/gi;
const SCHEMES =
  /(?<![\w-])(?:basic|apikey|negotiate|ntlm|hmac|aws4-hmac-sha256)[ \t]{1,20}([\w\-.+/=~:]{4,})/gi;
/** `IDENTIFIED BY 'x'`, `curl -u name:x`, `mysql -px`, `redis-cli -a x`, `ACL SETUSER name on >x`, `VALUES (1, 'x')` of a secret's column. */
const ARGUMENTS =
  /\b(?:identified[ \t]+by[ \t]+|(?:mysql|mariadb)[^\n]{0,200}?[ \t]-p|(?:sshpass|mongo\w{0,6}|docker login)[^\n]{0,200}?[ \t]-p[ \t]{0,4}|redis-cli[^\n]{0,200}?[ \t](?:-a|--pass)[ \t]{1,4}|(?:setuser|user[ \t]{1,4}\S{1,100}[ \t]{1,4}o(?:n|ff))[ \t][^\n]{0,200}?(?<=[ \t])[>#]|curl[^\n]{0,200}?[ \t](?:-u[ \t]{0,4}|--user[ \t=]{1,4})[^\s:]{1,100}:)(\S+)/gi;
/** Codes of digits that sign somebody in, as texts to people announce them. */
const CODES =
  /(?<![\w.-])(?:pin|otp|(?:your|verification|confirmation|activation|recovery|one-time|security|login|sign-in|sms)[ \t-]code)(?:[ \t]is)?[ \t]{0,4}[:=]?[ \t]{0,4}(\d[\d -]{2,9})(?!\w)/gi;
/** Hashes of passwords: modular crypt format, LDAP, and those of Werkzeug and Django. */
const HASH =
  /(?:\$(?:2[abxy]?|argon2\w{0,3}|scrypt|bcrypt[\w-]{0,10}|pbkdf2[\w-]{0,20}|apr1|[1567yPH]|gy|sha1)\$|\{(?:SSHA|SHA|SMD5|CRYPT|ARGON2|PBKDF2)[\w-]{0,10}\}|(?<![A-Za-z0-9])(?:(?:pbkdf2|scrypt|argon2|bcrypt)\w{0,20}[:$]|(?:SCRAM-SHA-(?:1|256)|(?:un)?salted_(?:sha1|md5)|sha1|sha256|sha512|md5)\$))[\w./+=,$:-]{8,}/g;
/** A token as the user name of a URL. */
const USER_TOKEN = /(?<=https?:\/\/)[^\s/@:?#]{8,200}(?=@)/gi;
/** Prefixes of well-known issuers. */
const ISSUED =
  /(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|SG\.|npm_|hvs\.|ya29\.|shpat_|dop_v1_|sk-(?=(?:proj|ant|svcacct|or)-|[A-Za-z0-9]{20})|hf_|whsec_|glrt-|pypi-|xapp-|sq0csp-|AGE-SECRET-KEY-|v[1-4]\.local\.|https:\/\/hooks\.slack\.com\/services\/|https:\/\/discord(?:app)?\.com\/api\/webhooks\/|(?:bot)?\d{8,10}:(?=AA))[\w./-]{12,}/g;
/** Text without any of these matches no pattern above. */
const SCHEME_HINT =
  /bearer|basic|apikey|negotiate|ntlm|hmac|identified|mysql|mariadb|sshpass|mongo|docker|redis-cli|setuser|\buser[ \t]|curl|dpop|\$|\{(?:s?sha|smd5|crypt)|pbkdf2|scrypt|argon2|bcrypt|[rs]k_|gh[pousr]_|github_|glpat|xox|a[ks]ia|aiza|sg\.|npm_|hvs\.|ya29|shpat_|dop_v1|sk-|hf_|whsec|glrt|pypi|xapp|sq0csp|age-secret|\.local\.|slack|discord|:aa/i;
/** Text without any of these announces nothing. */
const MARKS = /[\s@=:$}%]/;

const runsOf = (text: string, pattern: RegExp): Run[] =>
  [...text.matchAll(pattern)].map(({ index, 0: { length } }) => [index, index + length] as const);

/** Values that follow a scheme. */
const schemeRuns = (line: string, pattern: RegExp, isProse: (value: string) => boolean): Run[] =>
  [...line.matchAll(pattern)].flatMap(({ index, 0: whole, 1: value }) => {
    const end = index + whole.length;
    return isProse(value!) ? [] : [[end - value!.length, end] as const];
  });

/** The index of the value after the name of a secret; -1 without one. */
const namedSecret = (line: string): number => {
  for (const { index, 0: name } of line.matchAll(NAMES)) {
    if (!HINT.test(name) || !announcesSecret(name)) continue;
    ASSIGNED.lastIndex = index + name.length;
    if (ASSIGNED.test(line)) return ASSIGNED.lastIndex;
    BESIDE.lastIndex = index + name.length;
    const [whole, value] = BESIDE.exec(line) ?? [];
    if (!whole || (name.startsWith('-') ? value!.startsWith('-') : PROSE_WORD.test(value!))) continue;
    return BESIDE.lastIndex - value!.length;
  }
  return -1;
};

const EACH_LINE = /[^\r\n]+/g;

const PEM_BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{1,60}-{4,5}|PuTTY-User-Key-File-\d/g;
const PEM_END = /-{4,5} ?END [A-Z0-9 ]{1,60}-{4,5}/g;

/** Keys in PEM and similar formats, which have many lines; without an end they extend to the end of the text. */
export const pemRuns = (text: string): Run[] => {
  const runs: Run[] = [];
  PEM_BEGIN.lastIndex = 0;
  for (let found = PEM_BEGIN.exec(text); found; found = PEM_BEGIN.exec(text)) {
    PEM_END.lastIndex = PEM_BEGIN.lastIndex;
    const end = PEM_END.exec(text) ? PEM_END.lastIndex : text.length;
    runs.push([found.index, end]);
    PEM_BEGIN.lastIndex = end;
  }
  return runs;
};

const headerSecret = (line: string): number => {
  const header = HEADER.exec(line);
  return header ? header.index + header[0].length : -1;
};

const headerRuns = (text: string): Run[] =>
  [...text.matchAll(EACH_LINE)].flatMap(({ 0: line, index }) => {
    const start = headerSecret(line);
    return start < 0 ? [] : [[index + start, index + line.length] as const];
  });

/** A line of YAML, TOML, a shell or HCL: its indentation, name and value. */
const ASSIGNMENT =
  /^([ \t]{0,200}(?:- {1,20})?)["']?([\w.-]{1,100})["']?[ \t]{0,20}[:=][ \t]{0,20}(.{0,200})/;
/** Text after a name whose value is on the next lines. */
const BLOCK = /^(?:[|>][-+\d]{0,3}|#.*)?\s*$/;
const DELIMITED = /^(?:("{3}|'{3})|<<[-~]?[ \t]*["']?(\w{1,40})["']?)\s*$/;
/** A field of a form sent as multipart. */
const FORM_FIELD = /^content-disposition:.{0,200}\bname="?([\w.-]{1,100})/i;

const indentOf = (line: string): number => /^[ \t-]*/.exec(line)![0].length;

/**
 * Values on other lines than their secret's name: blocks and lists of YAML, delimited texts, name and value as fields
 * of one item (`name: DB_PASSWORD`, `value: x`), and forms sent as multipart.
 */
export const blockRuns = (text: string, isSecret: (name: string) => boolean): Run[] => {
  if (!text.includes('\n') || !HINT.test(text)) return [];
  const lines = [...text.matchAll(EACH_LINE)].map(({ 0: line, index }) => ({ line, index }));
  const runs: Run[] = [];
  let masked = 0;
  /** Masks lines from `first` as long as they belong to the value. Returns the line after it. */
  const mask = (first: number, belongs: (line: string) => boolean): number => {
    let end = first;
    while (end < lines.length && belongs(lines[end]!.line)) end++;
    if (end > first) runs.push([lines[first]!.index, lines[end - 1]!.index + lines[end - 1]!.line.length]);
    masked = Math.max(masked, end);
    return end;
  };
  for (let at = 0; at < lines.length; at++) {
    const { line } = lines[at]!;
    const field = FORM_FIELD.exec(line)?.[1];
    if (field !== undefined && isSecret(field)) at = mask(at + 1, (next) => !next.startsWith('--')) - 1;
    const [, indent, name, value] = ASSIGNMENT.exec(line) ?? [];
    if (indent === undefined) continue;
    if (isSecret(name!) && BLOCK.test(value!))
      at = mask(at + 1, (next) => indentOf(next) > indent.length || /^[ \t]*- /.test(next)) - 1;
    else if (isSecret(name!) && DELIMITED.test(value!)) {
      const [, quotes, word] = DELIMITED.exec(value!)!;
      at = mask(at + 1, (next) => (quotes ? !next.includes(quotes) : next.trim() !== word)) - 1;
    } else if (holdsName(name!) && isSecret(value!.trim().replace(/^["']|["']$/g, ''))) {
      const isBeside = (next: string) => indentOf(next) >= indent.length && !/^[ \t]*- /.test(next);
      if (!indent.includes('-')) {
        let first = at;
        while (first > masked && isBeside(lines[first]!.line)) first--;
        mask(first, (next) => next !== line);
      }
      at = mask(at + 1, isBeside) - 1;
    }
  }
  return runs;
};

/** Secrets that extend to the end of their line. */
const lineRuns = (text: string): Run[] => {
  const runs: Run[] = [];
  for (const { 0: line, index } of text.matchAll(EACH_LINE)) {
    const url = line.includes('@') ? urlWithPassword(line) : -1;
    const starts = [...(HINT.test(line) ? [namedSecret(line), headerSecret(line)] : []), url];
    for (const start of starts) if (start >= 0) runs.push([index + start, index + line.length]);
  }
  return runs;
};

const COLUMNS = /^[\w.-]{1,64}$/;
const INSERT = /\(([^()]{1,2000})\)\s{0,20}values\s/gi;

const hasSecretColumn = (columns: readonly string[]): boolean => {
  const names = columns.map((name) => name.replace(/^[\s"'`]+|[\s"'`]+$/g, '')).filter((name) => name !== '');
  return names.length > 1 && names.every((name) => COLUMNS.test(name)) && names.some(announcesSecret);
};

/** Rows whose columns are named once: in the first line (CSV and similar), or by INSERT. */
const tableRuns = (text: string): Run[] => {
  const head = /^[^\n]{1,2000}\n/.exec(text)?.[0] ?? '';
  if (head !== '' && hasSecretColumn(head.split(/[,;\t|]/))) return [[head.length, text.length]];
  for (const { index, 0: whole, 1: columns } of text.matchAll(INSERT))
    if (hasSecretColumn(columns!.split(','))) return [[index + whole.length, text.length]];
  return [];
};

/** Text is decoded this often. */
const MAX_ENCODED = 2;
const UNSPACED = /[^\s"'<>]+/g;
const PERCENT = /%[0-9A-Fa-f]{2}/;
const BASE64 = /(?<![\w+/-])[A-Za-z0-9+/_-]{16,}/g;
const PRINTABLE = /^[\t\n\r -~]+$/;

const percentDecoded = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Null for what does not begin with text: most words and identifiers. */
const base64Decoded = (text: string): string | null => {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  if (!PRINTABLE.test(atob(standard.slice(0, 8)))) return null;
  return atob(standard.slice(0, standard.length - (standard.length % 4)));
};

/** Encoded text that announces a secret only once it is decoded: all of it is masked. */
const encodedRuns = (text: string, depth: number): Run[] => {
  if (depth >= MAX_ENCODED) return [];
  const hides = (run: string, decoded: string | null): boolean =>
    decoded !== null &&
    (HINT.test(decoded) || SCHEME_HINT.test(decoded) || /[@%]/.test(decoded)) &&
    runsIn(decoded, depth + 1).length > 0 &&
    runsIn(run, MAX_ENCODED).length === 0;
  const percent = text.includes('%') ? [...text.matchAll(UNSPACED)] : [];
  return [
    ...percent.filter(({ 0: run }) => PERCENT.test(run) && hides(run, percentDecoded(run))),
    ...[...text.matchAll(BASE64)].filter(({ 0: run }) => hides(run, base64Decoded(run))),
  ].map(({ index, 0: { length } }) => [index, index + length] as const);
};

/** Secrets that a phrase announces, even where quotation marks are between it and them. */
const phraseRuns = (text: string, hasScheme: boolean): Run[] => {
  const runs = HINT.test(text) ? [...tableRuns(text), ...schemeRuns(text, CODES, () => false)] : [];
  if (!hasScheme) return runs;
  return [
    ...runs,
    ...schemeRuns(text, BEARER, () => false),
    ...schemeRuns(text, ARGUMENTS, () => false),
    ...schemeRuns(text, SCHEMES, (value) => PROSE_WORD.test(value)),
  ];
};

/** What is announced in a text of many lines, with quotation marks of their own. */
export const outerRuns = (text: string): Run[] => [
  ...headerRuns(text),
  ...phraseRuns(text, SCHEME_HINT.test(text)),
];

const runsIn = (text: string, depth: number): Run[] => {
  const runs = encodedRuns(text, depth);
  const hasScheme = SCHEME_HINT.test(text);
  if (hasScheme) runs.push(...runsOf(text, ISSUED));
  if (!MARKS.test(text)) return runs;
  return [
    ...runs,
    ...lineRuns(text),
    ...blockRuns(text, announcesSecret),
    ...pemRuns(text),
    ...(text.includes('@') ? runsOf(text, USER_TOKEN) : []),
    ...phraseRuns(text, hasScheme),
    ...(hasScheme ? runsOf(text, HASH) : []),
  ];
};

/** The secrets that a text announces by a scheme, a name or their form, also where it is encoded, in any order. */
export const announcedRuns = (text: string): Run[] => runsIn(text, 0);

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one.
const UNSEEN = /\x1b\[[\d;]{0,20}[A-Za-z]|\xc2\xa0|\xa0|\xef\xbc[\x9a\x9d]|[：＝]/g;

/** Text of the same length with spaces for what separates a name from its value unseen: colours, wide and firm blanks. */
export const plainText = (text: string): string =>
  /[^ -~\t\n\r]/.test(text)
    ? text.replace(UNSEEN, (unseen) => (/[\xbc：＝]/.test(unseen) ? '=' : ' ').padStart(unseen.length))
    : text;
