import 'server-only';

/** The text of one document of an export. */
export interface DocumentText {
  text: string;
  /** The line it begins in, from 1. */
  line: number;
  /** The file ends inside this document. */
  cut?: true;
}

const [NEWLINE, QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA] = [
  0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c,
];
/** More than MongoDB's 16 MiB per document takes as Extended JSON; the rest of a longer one is dropped. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;

/** Splits a file that arrives in chunks into documents. */
interface Splitter {
  push(chunk: Buffer): DocumentText[];
  /** The documents that are left when the file ends. */
  end(): DocumentText[];
}

/** One document per line. */
const byLine = (): Splitter => {
  let rest: Buffer[] = [];
  let buffered = 0;
  let line = 1;
  const take = (): DocumentText[] => {
    const text = Buffer.concat(rest).toString('utf8');
    rest = [];
    buffered = 0;
    return text.trim() === '' ? [] : [{ text, line }];
  };
  return {
    push: (chunk) => {
      const found: DocumentText[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (buffered <= MAX_DOCUMENT_BYTES) rest.push(chunk.subarray(from, at));
        found.push(...take());
        line += 1;
        from = at + 1;
      }
      // Copied: a slice would keep the complete chunk in memory.
      if (from < chunk.length && buffered <= MAX_DOCUMENT_BYTES) rest.push(Buffer.from(chunk.subarray(from)));
      buffered += chunk.length - from;
      return found;
    },
    end: () => take().map((last) => ({ ...last, cut: true })),
  };
};

/** The elements of one array, whatever its line breaks. */
const byElement = (): Splitter => {
  let rest: Buffer[] = [];
  let buffered = 0;
  let [depth, line, began] = [0, 1, 1];
  let [inText, escaped] = [false, false];
  const take = (): DocumentText[] => {
    const text = Buffer.concat(rest).toString('utf8');
    rest = [];
    buffered = 0;
    return text.trim() === '' ? [] : [{ text, line: began }];
  };
  return {
    push: (chunk) => {
      const found: DocumentText[] = [];
      let from = 0;
      const buffer = (to: number): void => {
        if (to > from && buffered <= MAX_DOCUMENT_BYTES) rest.push(Buffer.from(chunk.subarray(from, to)));
        buffered += to - from;
        from = to;
      };
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (byte === NEWLINE) line += 1;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inText = false;
          continue;
        }
        if (byte === QUOTE) inText = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          depth += 1;
          if (depth === 1) from = at + 1;
          if (depth === 2) began = line;
        } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          depth -= 1;
          if (depth === 0) {
            buffer(at);
            found.push(...take());
            from = at + 1;
          }
        } else if (byte === COMMA && depth === 1) {
          buffer(at);
          found.push(...take());
          from = at + 1;
        }
      }
      buffer(chunk.length);
      return found;
    },
    // In a truncated file the beginning of a document is left here; after the last bracket there is nothing.
    end: () => (depth > 0 ? [...take(), { text: '', line, cut: true }] : take()),
  };
};

const withoutByteOrderMark = (chunk: Buffer): Buffer =>
  chunk.subarray(chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0);

/**
 * The documents of a file written by mongoexport: one per line, or with `--jsonArray` the elements of one array.
 * Nothing is parsed here.
 */
export async function* documentsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<DocumentText[]> {
  let splitter: Splitter | null = null;
  for await (const piece of chunks) {
    const chunk: Buffer = splitter ? piece : withoutByteOrderMark(piece);
    if (!splitter) {
      const first = chunk.find((byte) => !isSpace(byte));
      if (first === undefined) continue;
      splitter = first === OPEN_BRACKET ? byElement() : byLine();
    }
    const found = splitter.push(chunk);
    if (found.length > 0) yield found;
  }
  const last = splitter?.end() ?? [];
  if (last.length > 0) yield last;
}
