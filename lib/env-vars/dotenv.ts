import 'server-only';

export interface DotenvEntry {
  name: string;
  value: string;
  /** Counted from 1: where it begins. */
  line: number;
}

/** What is wrong with a line. Says nothing of what stands there: a torn secret may. */
export interface DotenvProblem {
  line: number;
  message: string;
}

export interface DotenvFile {
  entries: DotenvEntry[];
  problems: DotenvProblem[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

type Reading = { ok: true; value: string; lines: number } | { ok: false; message: string; unclosed?: true };

const trailing = (rest: string): boolean => /^[ \t]*(#.*)?$/.test(rest);
const AFTER_QUOTE = 'Something follows the closing quote.';

/** A value in single quotes: as it stands, on one line. */
const readSingle = (text: string): Reading => {
  const end = text.indexOf("'", 1);
  if (end < 0) return { ok: false, message: 'The single quote is not closed on this line.' };
  if (!trailing(text.slice(end + 1))) return { ok: false, message: AFTER_QUOTE };
  return { ok: true, value: text.slice(1, end), lines: 1 };
};

/** A value in double quotes, over as many lines as it takes. Unknown escapes stay as they are. */
const readDouble = (lines: readonly string[], from: number, first: string): Reading => {
  let value = '';
  for (let index = from; index < lines.length; index++) {
    const text = index === from ? first : lines[index]!;
    for (let at = index === from ? 1 : 0; at < text.length; at++) {
      const character = text[at]!;
      if (character === '"') {
        const rest = text.slice(at + 1);
        return trailing(rest)
          ? { ok: true, value, lines: index - from + 1 }
          : { ok: false, message: AFTER_QUOTE };
      }
      const escaped = character === '\\' ? ESCAPES[text[at + 1] ?? ''] : undefined;
      value += escaped ?? character;
      if (escaped !== undefined) at++;
    }
    value += '\n';
  }
  return { ok: false, message: 'The double quote is never closed.', unclosed: true };
};

/** Up to the end of the line, or a comment after a space. */
const readBare = (text: string): Reading => ({
  ok: true,
  value: text.replace(/(^|[ \t])#.*$/, '').trim(),
  lines: 1,
});

const readValue = (lines: readonly string[], index: number, text: string): Reading => {
  if (text.startsWith('"')) return readDouble(lines, index, text);
  return text.startsWith("'") ? readSingle(text) : readBare(text);
};

/** The name and the text behind `=`, or why the line is none. */
const splitLine = (line: string): { name: string; text: string } | string => {
  const equals = line.indexOf('=');
  if (equals < 0) return 'This is no NAME=value.';
  const name = line
    .slice(0, equals)
    .trim()
    .replace(/^export[ \t]+/, '');
  if (!NAME.test(name))
    return 'A name has letters, digits and _, begins with no digit, and has 200 characters at most.';
  return { name, text: line.slice(equals + 1).replace(/^[ \t]+/, '') };
};

const unfit = (text: string): string | null => {
  if (text.includes('\0')) return 'A value cannot hold NUL.';
  return /\p{Cs}/u.test(text) ? 'This is no valid Unicode text.' : null;
};

/** Names given twice: each line after the first is a problem that says where the first is. */
const duplicates = (entries: readonly DotenvEntry[]): DotenvProblem[] => {
  const first = new Map<string, number>();
  return entries.flatMap(({ name, line }) => {
    const before = first.get(name);
    if (before === undefined) first.set(name, line);
    return before === undefined ? [] : [{ line, message: `This name stands on line ${before} already.` }];
  });
};

/**
 * Reads dotenv text strictly: `NAME=value`, `export`, comments, single quotes (as it stands), double quotes (`\n \r
 * \t \" \\ \$`, over several lines), CRLF and a BOM. Every line that is none of it is a problem with its number.
 */
export const readDotenv = (source: string): DotenvFile => {
  const lines = source.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const entries: DotenvEntry[] = [];
  const problems: DotenvProblem[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = index + 1;
    const trimmed = lines[index]!.trim();
    if (trimmed === '' || trimmed.startsWith('#')) {
      index++;
      continue;
    }
    const parts = splitLine(lines[index]!);
    const reading =
      typeof parts === 'string'
        ? { ok: false as const, message: parts }
        : readValue(lines, index, parts.text);
    const message = reading.ok ? unfit(reading.value) : reading.message;
    if (message !== null) problems.push({ line, message });
    else if (reading.ok && typeof parts !== 'string')
      entries.push({ name: parts.name, value: reading.value, line });
    // What follows a quote that is never closed belongs to it: to read on would report nonsense.
    if (!reading.ok && 'unclosed' in reading) break;
    index += reading.ok ? reading.lines : 1;
  }
  return { entries, problems: [...problems, ...duplicates(entries)].sort((a, b) => a.line - b.line) };
};

// No character that means something to a shell: people source such files.
const PLAIN = /^[\w.,:/@%+=-]+$/;

const ESCAPED: Record<string, string> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
  $: '\\$',
};

/** A value as `readDotenv` and most other readers take it: bare, else in single quotes, else escaped. */
const writeValue = (value: string): string => {
  if (value === '' || PLAIN.test(value)) return value;
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  return `"${value.replace(/[\n\r\t"\\$]/g, (character) => ESCAPED[character]!)}"`;
};

export const isDotenvName = (name: string): boolean => NAME.test(name);

/** One line for each, in the order given. Names must be such as `readDotenv` takes, values without NUL. */
export const writeDotenv = (entries: readonly { name: string; value: string }[]): string =>
  entries.map(({ name, value }) => `${name}=${writeValue(value)}\n`).join('');
