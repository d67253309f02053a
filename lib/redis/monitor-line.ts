import 'server-only';

/** Longer lines of MONITOR are cut: it shows values in full, up to half a gigabyte. */
export const MAX_LINE = 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const BRACKET = 0x5b;
const CLOSING = Buffer.from('] "');
const BETWEEN = Buffer.from('" "');

/**
 * How a server writes `"` and `\\` in an argument: with a backslash before them, or unchanged (Valkey 8.1). Unchanged,
 * an argument that contains `" "` looks like two, and `\\n` like a line feed.
 */
export type Quoting = 'escaped' | 'verbatim';

/** An argument that reveals a server's way of quoting; `id` consists of letters and digits. */
export const quotingProbe = (id: string): string => `"\\${id}`;

/** The way of quoting that the line of a probe reveals; null for any other line. */
export const quotingOf = (line: Buffer, id: string): Quoting | null => {
  const end = line.toString('latin1', Math.max(0, line.length - id.length - 8));
  if (end.endsWith(`"\\"\\\\${id}"`)) return 'escaped';
  return end.endsWith(`""\\${id}"`) ? 'verbatim' : null;
};

/** Splits a byte stream into lines and stores at most `MAX_LINE` bytes of one. */
export class LineStream {
  private parts: Buffer[] = [];
  private kept = 0;
  private cut = false;

  constructor(private readonly take: (line: Buffer, cut: boolean) => void) {}

  write(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) {
        this.keep(chunk.subarray(from));
        return;
      }
      this.finish(chunk.subarray(from, end));
      from = end + 1;
    }
  }

  private keep(part: Buffer): void {
    const room = MAX_LINE - this.kept;
    if (part.length > room) this.cut = true;
    if (room <= 0) return;
    // A copy, because a slice would keep the complete chunk in memory.
    this.parts.push(Buffer.from(part.subarray(0, room)));
    this.kept += Math.min(room, part.length);
  }

  private finish(last: Buffer): void {
    if (this.parts.length === 0) {
      this.take(last[last.length - 1] === RETURN ? last.subarray(0, -1) : last, false);
      return;
    }
    this.keep(last);
    const line = Buffer.concat(this.parts, this.kept);
    const { cut } = this;
    this.parts = [];
    this.kept = 0;
    this.cut = false;
    this.take(!cut && line[line.length - 1] === RETURN ? line.subarray(0, -1) : line, cut);
  }
}

const NAMED: Readonly<Record<number, number>> = { 110: 10, 114: 13, 116: 9, 97: 7, 98: 8 };

/** Unescapes an argument of MONITOR: `\\`, `\"`, `\n`, `\r`, `\t`, `\a`, `\b` and `\xNN`. */
const unquote = (quoted: Buffer): Buffer => {
  const out = Buffer.allocUnsafe(quoted.length);
  let to = 0;
  for (let at = 0; at < quoted.length; at++) {
    const byte = quoted[at]!;
    if (byte !== BACKSLASH) {
      out[to++] = byte;
      continue;
    }
    const next = quoted[++at]!;
    if (next === 0x78) {
      out[to++] = Number.parseInt(quoted.toString('latin1', at + 1, at + 3), 16);
      at += 2;
    } else out[to++] = NAMED[next] ?? next;
  }
  return out.subarray(0, to);
};

/** What a server that does not escape backslashes still escapes: control characters and bytes above `~`. */
const VERBATIM_ESCAPE = /\\(?:x([01][0-9a-f]|7f|[89a-f][0-9a-f])|([nrtab]))/g;

const unquoteVerbatim = (quoted: Buffer): Buffer =>
  Buffer.from(
    quoted
      .toString('latin1')
      .replace(VERBATIM_ESCAPE, (_, hex: string | undefined, letter: string) =>
        String.fromCharCode(hex ? Number.parseInt(hex, 16) : NAMED[letter.charCodeAt(0)]!),
      ),
    'latin1',
  );

/**
 * One line of MONITOR: `+<time> [<db> <source>] "command" "argument" …`. Arguments are parsed on demand, so long values
 * are mostly skipped. The bytes are valid until the next line.
 */
export class MonitorLine {
  /** The client's address, `lua` for calls from scripts and functions, or `unix:<path>`. */
  readonly source: string;
  readonly db: number;
  /** Whether the line was cut at `MAX_LINE`. */
  readonly cut: boolean;
  private readonly isVerbatim: boolean;
  private readonly spans: number[] = [];
  private at: number;
  private ended = false;

  private constructor(
    private readonly line: Buffer,
    parts: { db: number; source: string; at: number; cut: boolean; isVerbatim: boolean },
  ) {
    this.db = parts.db;
    this.source = parts.source;
    this.at = parts.at;
    this.cut = parts.cut;
    this.isVerbatim = parts.isVerbatim;
  }

  /** Null for a line that is not a command, such as the reply to MONITOR. */
  static read(line: Buffer, cut = false, quoting: Quoting = 'escaped'): MonitorLine | null {
    const open = line.indexOf(BRACKET);
    if (open < 0) return null;
    const space = line.indexOf(SPACE, open);
    const close = space < 0 ? -1 : line.indexOf(CLOSING, space);
    if (close < 0) return null;
    const db = Number(line.toString('latin1', open + 1, space));
    return new MonitorLine(line, {
      db,
      source: line.toString('latin1', space + 1, close),
      at: close + 2,
      cut,
      isVerbatim: quoting === 'verbatim',
    });
  }

  /** Finds the next argument; false after the last. */
  private next(): boolean {
    if (this.ended || this.line[this.at] !== QUOTE) {
      this.ended = true;
      return false;
    }
    const from = this.at + 1;
    const end = this.isVerbatim ? this.verbatimEnd(from) : this.escapedEnd(from);
    if (end < 0) {
      this.ended = true;
      return false;
    }
    this.spans.push(from, end);
    this.at = end + 2;
    return true;
  }

  /** The index of the closing quote of the argument that begins at `from`; -1 where the line is cut before it. */
  private escapedEnd(from: number): number {
    for (let search = from; ; ) {
      const quote = this.line.indexOf(QUOTE, search);
      if (quote < 0) return -1;
      let slashes = 0;
      while (quote - 1 - slashes >= from && this.line[quote - 1 - slashes] === BACKSLASH) slashes++;
      if (slashes % 2 === 0) return quote;
      search = quote + 1;
    }
  }

  private verbatimEnd(from: number): number {
    const between = this.line.indexOf(BETWEEN, from);
    if (between >= 0) return between;
    const last = this.line.length - 1;
    return !this.cut && last >= from && this.line[last] === QUOTE ? last : -1;
  }

  private find(index: number): boolean {
    while (this.spans.length <= 2 * index) if (!this.next()) return false;
    return true;
  }

  /** When the server executed it, epoch ms by the server's clock. */
  get ranAt(): number {
    return Number(this.line.toString('latin1', 1, 18)) * 1000;
  }

  /** Number of arguments, including the command. */
  get count(): number {
    while (this.next());
    return this.spans.length / 2;
  }

  /** An argument's bytes; null past the end. */
  bytes(index: number): Buffer | null {
    if (!this.find(index)) return null;
    const span = this.line.subarray(this.spans[2 * index], this.spans[2 * index + 1]);
    if (span.indexOf(BACKSLASH) < 0) return span;
    return this.isVerbatim ? unquoteVerbatim(span) : unquote(span);
  }

  /** An argument in lower case, for names and options; '' past the end and for arguments over 64 bytes. */
  word(index: number): string {
    if (!this.find(index)) return '';
    const [from, to] = [this.spans[2 * index]!, this.spans[2 * index + 1]!];
    return to - from > 64 ? '' : this.line.toString('latin1', from, to).toLowerCase();
  }
}
