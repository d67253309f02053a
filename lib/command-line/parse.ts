import 'server-only';

/** Splits a line into arguments, as redis-cli does. */

export const MAX_LINE_BYTES = 16 * 1024;
export const MAX_ARGUMENTS = 1000;

/** Why a line cannot be read, and at which character, counted from one. */
export class LineError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'LineError';
    this.at = at;
  }
}

/** What separates arguments for redis-cli, too: other spaces of Unicode belong to a word. */
export const SPACE = /[ \t\n\v\f\r]/;
const HEX_BYTE = /^[0-9a-fA-F]{2}$/;
const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, a: 7 };

/** An argument with where it begins and ends in the line, in UTF-16 units. */
export interface Argument {
  bytes: Uint8Array;
  start: number;
  end: number;
}

const encoder = new TextEncoder();

/** Reads quoted text from behind its quote. Returns where it ends, behind the closing quote; -1 where there is none. */
const quoted = (line: string, start: number, quote: string, out: number[]): number => {
  let at = start;
  while (at < line.length && line[at] !== quote) {
    if (line[at] === '\\' && quote === "'" && line[at + 1] === "'") {
      out.push(0x27);
      at += 2;
    } else if (line[at] === '\\' && quote === '"' && at + 1 < line.length) {
      const hex = line[at + 1] === 'x' ? line.slice(at + 2, at + 4) : '';
      if (HEX_BYTE.test(hex)) {
        out.push(Number.parseInt(hex, 16));
        at += 4;
      } else {
        const [next] = line.slice(at + 1);
        const escaped = ESCAPES[next!];
        out.push(...(escaped === undefined ? encoder.encode(next) : [escaped]));
        at += 1 + next!.length;
      }
    } else {
      const character = String.fromCodePoint(line.codePointAt(at)!);
      out.push(...encoder.encode(character));
      at += character.length;
    }
  }
  return at < line.length ? at + 1 : -1;
};

const argumentAt = (line: string, start: number, isPartial: boolean): Argument => {
  const out: number[] = [];
  let at = start;
  while (at < line.length && !SPACE.test(line[at]!)) {
    const character = String.fromCodePoint(line.codePointAt(at)!);
    if (character !== '"' && character !== "'") {
      out.push(...encoder.encode(character));
      at += character.length;
      continue;
    }
    const end = quoted(line, at + 1, character, out);
    if (end < 0 && isPartial) at = line.length;
    else if (end < 0) throw new LineError(`The quote ${character} is not closed.`, at + 1);
    else if (end < line.length && !SPACE.test(line[end]!) && !isPartial)
      throw new LineError('A closing quote must be followed by a space.', end + 1);
    else at = end;
  }
  return { bytes: Uint8Array.from(out), start, end: at };
};

/**
 * The arguments of a line. Throws a `LineError` for an open quote, and above the limits; `isPartial`: a line that is still
 * being typed has an open quote to its end.
 */
export const parseLine = (line: string, { isPartial = false } = {}): Argument[] => {
  if (line.length > MAX_LINE_BYTES || encoder.encode(line).length > MAX_LINE_BYTES)
    throw new LineError(`The line is longer than ${MAX_LINE_BYTES / 1024} KiB.`, MAX_LINE_BYTES + 1);
  const found: Argument[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && SPACE.test(line[at]!)) at++;
    if (at >= line.length) return found;
    if (found.length === MAX_ARGUMENTS)
      throw new LineError(`The line has more than ${MAX_ARGUMENTS} arguments.`, at + 1);
    const argument = argumentAt(line, at, isPartial);
    found.push(argument);
    at = argument.end;
  }
};
