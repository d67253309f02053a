import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { MAX_BYTES } from './rules';

export interface DotenvEntry {
  name: string;
  value: string;
  /** Line where the entry starts, from 1. */
  line: number;
}

/** Problem of a line. Never quotes the line: it may hold part of a secret. */
export interface DotenvProblem {
  line: number;
  message: string;
}

export interface DotenvFile {
  entries: DotenvEntry[];
  problems: DotenvProblem[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const ESCAPE = /\\([nrt"\\$])/g;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

type Reading = { ok: true; value: string } | { ok: false; message: string; unclosed?: true };

/** Characters parsed before yielding to other requests. */
const CHUNK = 64 * 1024;

/** Iterates over the lines of a text. */
const linesOf = (source: string) => {
  // Remembers the next \n and \r until passed: searching again could cost megabytes for every line.
  let place = { at: 0, number: 0, feed: -1, carriage: -1 };
  let work = 0;
  const find = (character: string, from: number, known: number): number => {
    if (known >= from) return known;
    const place = source.indexOf(character, from);
    return place < 0 ? Number.POSITIVE_INFINITY : place;
  };
  return {
    next: (): string | null => {
      const { at, number } = place;
      if (at > source.length) return null;
      const feed = find('\n', at, place.feed);
      const carriage = find('\r', at, place.carriage);
      const end = Math.min(feed, carriage, source.length);
      place = { at: end + (feed === end + 1 ? 2 : 1), number: number + 1, feed, carriage };
      work += end - at + 16;
      return source.slice(at, end);
    },
    /** Position after the last line returned, whose number counts from 1. */
    place: () => place,
    goTo: (next: typeof place) => {
      place = next;
    },
    /** Whether to yield to other requests. */
    shouldYield: (): boolean => {
      const due = work > CHUNK;
      if (due) work = 0;
      return due;
    },
  };
};
type Lines = ReturnType<typeof linesOf>;

const trailing = (rest: string): boolean => /^[ \t]*(#.*)?$/.test(rest);
const AFTER_QUOTE = 'Something follows the closing quote.';

/** A value in single quotes: taken literally, on one line. */
const readSingle = (text: string): Reading => {
  const end = text.indexOf("'", 1);
  if (end < 0) return { ok: false, message: 'The single quote is not closed on this line.' };
  if (!trailing(text.slice(end + 1))) return { ok: false, message: AFTER_QUOTE };
  return { ok: true, value: text.slice(1, end) };
};

/** Collects a quoted value, up to just over the size limit so that it is refused as too large. */
const unescaped = () => {
  const parts: string[] = [];
  let length = 0;
  return {
    add: (raw: string): void => {
      if (length > MAX_BYTES) return;
      const part = raw.replace(ESCAPE, (_, character: string) => ESCAPES[character]!);
      length += part.length;
      parts.push(part);
    },
    text: () => parts.join(''),
  };
};

/** A value in double quotes, possibly over several lines. Unknown escapes are kept. */
const readDouble = async (lines: Lines, first: string): Promise<Reading> => {
  const value = unescaped();
  for (let text: string | null = first.slice(1); text !== null; text = lines.next()) {
    let from = 0;
    for (let at = 0; at <= text.length; at++) {
      const character = text[at];
      if (character === '"') {
        value.add(text.slice(from, at));
        return trailing(text.slice(at + 1))
          ? { ok: true, value: value.text() }
          : { ok: false, message: AFTER_QUOTE };
      }
      if (at - from >= CHUNK) {
        value.add(text.slice(from, at));
        from = at;
        await setImmediate();
      }
      if (character === '\\' && ESCAPES[text[at + 1] ?? ''] !== undefined) at++;
    }
    value.add(`${text.slice(from)}\n`);
    if (lines.shouldYield()) await setImmediate();
  }
  return { ok: false, message: 'The double quote is never closed.', unclosed: true };
};

/** Up to the end of the line, or a comment after a space. */
const readBare = (text: string): Reading => ({
  ok: true,
  value: text.replace(/(^|[ \t])#.*$/, '').trim(),
});

const readValue = (lines: Lines, text: string): Reading | Promise<Reading> => {
  if (text.startsWith('"')) return readDouble(lines, text);
  // Too large in any case: only the beginning is read.
  if (text.length > 2 * MAX_BYTES) return { ok: true, value: text.slice(0, MAX_BYTES + 1) };
  return text.startsWith("'") ? readSingle(text) : readBare(text);
};

/** Name and text after `=`, or an error message. */
const splitLine = (line: string): { name: string; text: string } | string => {
  const equals = line.indexOf('=');
  if (equals < 0) return 'Not a NAME=value line.';
  const name = line
    .slice(0, equals)
    .trim()
    .replace(/^export[ \t]+/, '');
  if (!NAME.test(name))
    return 'A name has letters, digits and _, does not start with a digit, and has at most 200 characters.';
  return { name, text: line.slice(equals + 1).replace(/^[ \t]+/, '') };
};

const unfit = (text: string): string | null => {
  if (text.includes('\0')) return 'A value cannot hold NUL.';
  return /\p{Cs}/u.test(text) ? 'Not valid Unicode text.' : null;
};

/** Duplicate names: a problem for each line after the first, which names the first line. */
const duplicates = (entries: readonly DotenvEntry[]): DotenvProblem[] => {
  const first = new Map<string, number>();
  return entries.flatMap(({ name, line }) => {
    const before = first.get(name);
    if (before === undefined) first.set(name, line);
    return before === undefined ? [] : [{ line, message: `Duplicate of the name on line ${before}.` }];
  });
};

/**
 * Reads dotenv text strictly: `NAME=value`, `export`, comments, single quotes (literal), double quotes (`\n \r \t \"
 * \\ \$`, multi-line), CRLF and a BOM. Any other line is a problem. Stops after `max` variables and problems.
 */
export const readDotenv = async (source: string, max = Number.POSITIVE_INFINITY): Promise<DotenvFile> => {
  const lines = linesOf(source.startsWith('\ufeff') ? source.slice(1) : source);
  const entries: DotenvEntry[] = [];
  const problems: DotenvProblem[] = [];
  for (let text = lines.next(); text !== null; text = lines.next()) {
    if (lines.shouldYield()) await setImmediate();
    const content = text.trimStart();
    if (content === '' || content.startsWith('#')) continue;
    if (entries.length + problems.length > max) break;
    const place = lines.place();
    const { number: line } = place;
    const parts = splitLine(text);
    const reading: Reading =
      typeof parts === 'string' ? { ok: false, message: parts } : await readValue(lines, parts.text);
    const message = reading.ok ? unfit(reading.value) : reading.message;
    if (message !== null) problems.push({ line, message });
    else if (reading.ok && typeof parts !== 'string')
      entries.push({ name: parts.name, value: reading.value, line });
    // Everything after an unclosed quote belongs to it: further problems would be meaningless.
    if (!reading.ok && 'unclosed' in reading) break;
    if (!reading.ok) lines.goTo(place);
  }
  return { entries, problems: [...problems, ...duplicates(entries)].sort((a, b) => a.line - b.line) };
};

// Without characters special to a shell, because people source such files.
const PLAIN = /^[\w.,:/@%+=-]+$/;

const ESCAPED: Record<string, string> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
  $: '\\$',
};

/** A value that `readDotenv` and most other parsers read: bare, else in single quotes, else escaped. */
const writeValue = (value: string): string => {
  if (value === '' || PLAIN.test(value)) return value;
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  return `"${value.replace(/[\n\r\t"\\$]/g, (character) => ESCAPED[character]!)}"`;
};

export const isDotenvName = (name: string): boolean => NAME.test(name);

/** One line per entry, in order. Names must satisfy `isDotenvName`; values must not contain NUL. */
export const writeDotenv = (entries: readonly { name: string; value: string }[]): string =>
  entries.map(({ name, value }) => `${name}=${writeValue(value)}\n`).join('');
