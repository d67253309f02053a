import 'server-only';
import { numberOf, parseJson } from '@/lib/exact-json';

/** Limits of text length (characters) and nesting. */
const MAX_LENGTH = 65_536;
const MAX_DEPTH = 32;

/** The text is not a literal, or exceeds the limits. Caught in this file. */
class Unreadable extends Error {}

const CONSTANTS = new Map<string, unknown>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['nan', Number.NaN],
  ['inf', Infinity],
  ['-inf', -Infinity],
]);

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /-?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/y;
const QUOTE = /[bBuU]?(['"])/y;
const PLAIN = /[^'"\\\r\n]+/y;
/** `\N{…}` names a character, which is not looked up. */
const ESCAPE =
  /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|N\{[^{}]*\}|([0-7]{1,3})|([^xuUN0-7]))/y;
const SIMPLE: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const unescaped = ([text, two, four, eight, octal, simple]: RegExpExecArray): string => {
  if (simple !== undefined) return SIMPLE[simple] ?? text;
  const hex = two ?? four ?? eight ?? 'fffd';
  const code = octal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
};

/** Reads from left to right without backtracking. */
class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  read(): unknown {
    const value = this.value();
    if (this.at < this.text.length) throw new Unreadable();
    return value;
  }

  private match(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.at;
    const found = token.exec(this.text);
    if (found) this.at = token.lastIndex;
    return found;
  }

  private isNext(character: string): boolean {
    this.match(SPACE);
    return this.text[this.at] === character;
  }

  private takes(character: string): boolean {
    const isNext = this.isNext(character);
    if (isNext) this.at += 1;
    return isNext;
  }

  private value(): unknown {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new Unreadable();
    const value = this.any();
    this.match(SPACE);
    this.depth -= 1;
    return value;
  }

  private any(): unknown {
    if (this.takes('{')) return this.braces();
    if (this.takes('[')) return this.items(']');
    if (this.takes('(')) return this.items(')');
    const quote = this.match(QUOTE)?.[1];
    if (quote !== undefined) return this.string(quote);
    const number = this.match(NUMBER);
    if (number) return numberOf(number[0].replace(/^\+/, ''));
    const name = this.match(NAME)?.[0] ?? '';
    if (CONSTANTS.has(name)) return CONSTANTS.get(name);
    const isCall = name !== '' && this.takes('(');
    // Arguments of calls such as `datetime.datetime(…)` are skipped.
    if (isCall) this.items(')');
    else if (!name.includes('.')) throw new Unreadable();
    return undefined;
  }

  private string(quote: string): string {
    let out = '';
    for (;;) {
      out += this.match(PLAIN)?.[0] ?? '';
      const next = this.text[this.at];
      if (next === '\\') {
        const found = this.match(ESCAPE);
        if (!found) throw new Unreadable();
        out += unescaped(found);
      } else if (next === "'" || next === '"') {
        this.at += 1;
        if (next === quote) return out;
        out += next;
      } else throw new Unreadable();
    }
  }

  /** Items of a list, tuple or set, or arguments of a call, which may be named. */
  private items(close: string): unknown[] {
    const items: unknown[] = [];
    while (!this.takes(close)) {
      if (close === ')') this.match(/[A-Za-z_]\w*=/y);
      items.push(this.value());
      if (!this.takes(',') && !this.isNext(close)) throw new Unreadable();
    }
    return items;
  }

  /** A dictionary, or a set. */
  private braces(): unknown {
    const entries: [string, unknown][] = [];
    while (!this.takes('}')) {
      this.match(SPACE);
      const from = this.at;
      const key = this.value();
      if (entries.length === 0 && (this.takes(',') || this.isNext('}'))) return [key, ...this.items('}')];
      if (!this.takes(':')) throw new Unreadable();
      // A key that is not text is named by its source text.
      const name = typeof key === 'string' ? key : this.text.slice(from, this.at - 1).trim();
      entries.push([name, this.value()]);
      if (!this.takes(',') && !this.isNext('}')) throw new Unreadable();
    }
    return Object.fromEntries(entries);
  }
}

/**
 * Value of a Python literal as `repr` writes it: sets and tuples become lists, bytes become text. undefined for calls
 * and for text that is not a literal.
 */
export const parsePython = (text: string): unknown => {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return new Reader(text).read();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
};

/** A value nested in a field: JSON, or a Python literal as `repr` writes it; undefined if neither. */
export const parseNested = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return parsePython(text);
  }
};
