import {
  Composer,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLMap,
} from 'yaml';

export type Path = readonly (string | number)[];

interface Parsed {
  /** Undefined where there are problems. */
  readonly content?: unknown;
  readonly problems: readonly {
    readonly offset: number;
    readonly found: string;
    readonly expected: string;
  }[];
}

export const MAX_FILE_BYTES = 2 ** 20;
const MAX_DEPTH = 16;
const MAX_ALIASES = 50;
/** Far more than a file of 2000 families needs. */
const MAX_LEXEMES = 500_000;

/** Ends parsing when it becomes too expensive. */
class TooMuch extends Error {
  readonly problem;

  constructor(found: string, expected: string) {
    super(found);
    this.problem = { offset: 0, found, expected };
  }
}

const DEEP = { offset: 0, found: 'values nested too deeply', expected: `at most ${MAX_DEPTH} levels` };

/**
 * The lines that npm prints before a script's output: `npm run catalog -- infer > catalog.yaml` writes them into the
 * file.
 */
const NPM_LINES = /^(?:\s*\n)*(?:> [^\n]*\n)+/u;

const QUOTES = 'YAML or JSON, with quotes around patterns such as "{id}:cart"';
/** What to do about an error of the YAML library, by its code. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'a closing } or ] before this line',
  BLOCK_AS_IMPLICIT_KEY: 'one key on each line, with the indent of those beside it',
  MISSING_CHAR: 'the indent of the lines around it, or a closing quote or bracket',
  TAB_AS_INDENT: 'spaces instead of a tab',
};

const keyOf = (pair: YAMLMap['items'][number]): string =>
  String(isScalar(pair.key) ? pair.key.value : pair.key);

/**
 * YAML or JSON, with the position of each value. The composer recurses, and a nearly full stack can end the process
 * inside a regular expression, so nesting and size are limited first.
 */
export class YamlText {
  private readonly lines = new LineCounter();
  private document: Document.Parsed | null = null;

  parse(source: string): Parsed {
    if (Buffer.byteLength(source) > MAX_FILE_BYTES)
      return { problems: [{ offset: 0, found: 'a larger file', expected: 'at most 1 MiB' }] };
    const content = source.replace(NPM_LINES, (lines) => lines.replaceAll(/[^\n]/gu, ' '));
    try {
      // Duplicate keys are found below, because the composer compares every pair.
      const composer = new Composer({ uniqueKeys: false, prettyErrors: false, keepSourceTokens: false });
      const [document, other] = composer.compose(this.tokens(content), true, content.length);
      if (!document || other)
        return { problems: [{ offset: 0, found: 'several documents', expected: 'one' }] };
      // Further errors follow from the first one.
      const [error] = document.errors;
      if (error) {
        const found = `what YAML does not allow (${error.code.toLowerCase().replaceAll('_', ' ')})`;
        return {
          problems: [{ offset: error.pos[0], found, expected: REMEDIES[error.code] ?? QUOTES }],
        };
      }
      this.document = document as Document.Parsed;
      const walked = this.walk();
      return walked.length > 0
        ? { problems: walked }
        : { content: document.toJS({ maxAliasCount: MAX_ALIASES }), problems: [] };
    } catch (error) {
      if (error instanceof TooMuch) return { problems: [error.problem] };
      if (!(error instanceof ReferenceError)) throw error;
      const found = 'too many or circular aliases';
      return { problems: [{ offset: 0, found, expected: `at most ${MAX_ALIASES} uses of anchors` }] };
    }
  }

  private *tokens(source: string) {
    const parser = new Parser(this.lines.addNewLine);
    this.lines.addNewLine(0);
    let lexemes = 0;
    for (const lexeme of new Lexer().lex(source)) {
      yield* parser.next(lexeme);
      if (parser.stack.length > 2 * MAX_DEPTH) throw new TooMuch(DEEP.found, DEEP.expected);
      if (++lexemes > MAX_LEXEMES) throw new TooMuch('too many values', 'a catalog of a few thousand lines');
    }
    yield* parser.end();
  }

  /** Level by level: duplicate or meaningless keys, and values that are nested too deeply. */
  private walk(): Parsed['problems'] {
    const wrong: { offset: number; found: string; expected: string }[] = [];
    let level: unknown[] = [this.document?.contents];
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > MAX_DEPTH) return [DEEP];
      level = level.flatMap((node) => {
        if (isSeq(node)) return node.items;
        if (!isMap(node)) return [];
        const keys = new Set<string>();
        for (const pair of node.items) {
          const key = keyOf(pair);
          const offset = (pair.key as Node | null)?.range?.[0] ?? 0;
          if (keys.has(key))
            wrong.push({ offset, found: 'a key for the second time', expected: 'each key once' });
          // Schemas of mappings skip this key.
          else if (key === '__proto__')
            wrong.push({ offset, found: 'the key "__proto__"', expected: 'another name' });
          keys.add(key);
        }
        return node.items.flatMap(({ key, value }) => [key, value]);
      });
    }
    return wrong;
  }

  /** Line and column of an offset, from 1. */
  placeOf(offset: number): { line: number; column: number } {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** Where the value at a path, or its key, begins; for a missing value, where the nearest container begins. */
  offsetOf(path: Path, ofKey = false): number {
    let node: unknown = this.document?.contents;
    let offset = (node as Node | null | undefined)?.range?.[0] ?? 0;
    for (const [depth, step] of path.entries()) {
      if (isAlias(node) && this.document) node = node.resolve(this.document);
      let at: number | undefined;
      if (isMap(node)) {
        const pair = node.items.find((item) => keyOf(item) === String(step));
        node = pair?.value;
        if ((ofKey && depth === path.length - 1) || !node) at = (pair?.key as Node | undefined)?.range?.[0];
      } else node = isSeq(node) ? node.items[Number(step)] : undefined;
      at ??= (node as Node | null | undefined)?.range?.[0];
      if (at === undefined) return offset;
      offset = at;
    }
    return offset;
  }
}
