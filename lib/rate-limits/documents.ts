import 'server-only';

/** One document of an export as text, or what is wrong with what stands there. */
export interface DocumentText {
  text: string;
  /** Where it begins, from 1. */
  line: number;
  /** The file ends here without an end. */
  cut?: true;
}

const [NEWLINE, QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA] = [
  0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c,
];
/** Beyond MongoDB's own 16 MiB a document, even as Extended JSON: no more of it is kept. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;

/** Documents of a file that comes in pieces. */
interface Splitter {
  push(chunk: Buffer): DocumentText[];
  /** What was left when the file ended. */
  end(): DocumentText[];
}

/** A document a line. */
const byLine = (): Splitter => {
  let rest: Buffer[] = [];
  let kept = 0;
  let line = 1;
  const take = (): DocumentText[] => {
    const text = Buffer.concat(rest).toString('utf8');
    rest = [];
    kept = 0;
    return text.trim() === '' ? [] : [{ text, line }];
  };
  return {
    push: (chunk) => {
      const found: DocumentText[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (kept <= MAX_DOCUMENT_BYTES) rest.push(chunk.subarray(from, at));
        found.push(...take());
        line += 1;
        from = at + 1;
      }
      // What goes on in the next piece must not keep this whole piece alive.
      if (from < chunk.length && kept <= MAX_DOCUMENT_BYTES) rest.push(Buffer.from(chunk.subarray(from)));
      kept += chunk.length - from;
      return found;
    },
    end: () => take().map((last) => ({ ...last, cut: true })),
  };
};

/** The elements of one array, whatever lines it is written in. */
const byElement = (): Splitter => {
  let rest: Buffer[] = [];
  let kept = 0;
  let [depth, line, began] = [0, 1, 1];
  let [inText, escaped] = [false, false];
  const take = (): DocumentText[] => {
    const text = Buffer.concat(rest).toString('utf8');
    rest = [];
    kept = 0;
    return text.trim() === '' ? [] : [{ text, line: began }];
  };
  return {
    push: (chunk) => {
      const found: DocumentText[] = [];
      let from = 0;
      const keep = (to: number): void => {
        if (to > from && kept <= MAX_DOCUMENT_BYTES) rest.push(Buffer.from(chunk.subarray(from, to)));
        kept += to - from;
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
            keep(at);
            found.push(...take());
            from = at + 1;
          }
        } else if (byte === COMMA && depth === 1) {
          keep(at);
          found.push(...take());
          from = at + 1;
        }
      }
      keep(chunk.length);
      return found;
    },
    // A file that was cut leaves the beginning of a document here; after the last bracket there is nothing.
    end: () => (depth > 0 ? [...take(), { text: '', line, cut: true }] : take()),
  };
};

const withoutMark = (chunk: Buffer): Buffer =>
  chunk.subarray(chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0);

/**
 * The documents of what mongoexport wrote, a piece of the file at a time: one a line, or with `--jsonArray` the
 * elements of one array. Nothing is parsed here.
 */
export async function* documentsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<DocumentText[]> {
  let splitter: Splitter | null = null;
  for await (const piece of chunks) {
    const chunk: Buffer = splitter ? piece : withoutMark(piece);
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
