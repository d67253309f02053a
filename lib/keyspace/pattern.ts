import { bytesEqualAt, encodeText } from './bytes';
import type { Grammar } from './grammar';

export interface PatternParameter {
  readonly name: string;
  readonly grammar: Grammar;
}

/** `literals[0] params[0] literals[1] … params[n-1] literals[n]`; the first and last literal may be empty. */
export interface Pattern {
  readonly source: string;
  readonly literals: readonly Uint8Array[];
  readonly params: readonly PatternParameter[];
  /**
   * Index of the only parameter that may contain its following separator; the rest is then matched from the right. -1:
   * none.
   */
  readonly wide: number;
  readonly literalBytes: number;
  readonly minLength: number;
}

/** Escapes a fixed name for use in a pattern, where braces mark parameters. */
export const literalPattern = (name: string): string => name.replaceAll('{', '{{').replaceAll('}', '}}');

/** The fixed texts of a pattern and the names between them. Throws on unbalanced braces and duplicate names. */
export const splitPattern = (source: string): { literals: string[]; names: string[] } => {
  const literals: string[] = [];
  const names: string[] = [];
  let literal = '';
  for (const [part] of source.matchAll(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]/gu)) {
    const name = part.length > 2 && part.startsWith('{') ? part.slice(1, -1) : null;
    if (name !== null) {
      if (!/^[A-Za-z][A-Za-z0-9_]*$/u.test(name)) throw new Error(`parameter name "${name}" is not a word`);
      if (names.includes(name)) throw new Error(`parameter {${name}} appears twice`);
      names.push(name);
      literals.push(literal);
      literal = '';
    } else if (part === '{{' || part === '}}') {
      literal += part.charAt(0);
    } else if (part === '{' || part === '}' || part === '{}') {
      throw new Error(`unbalanced brace or empty parameter; write {{ and }} for braces`);
    } else {
      literal += part;
    }
  }
  return { literals: [...literals, literal], names };
};

const findWide = (literals: readonly Uint8Array[], params: readonly PatternParameter[]): number => {
  const last = params.length - 1;
  const wide = params.findIndex((param, i) => i < last && param.grammar.table[literals[i + 1]![0]!] !== 0);
  if (wide === -1) return -1;
  for (let i = wide + 1; i <= last; i++) {
    const { grammar, name } = params[i]!;
    const before = literals[i]!;
    if (grammar.startBefore === undefined && grammar.table[before[before.length - 1]!] !== 0) {
      throw new Error(`{${params[wide]!.name}} and {${name}} may both hold the text between them: ambiguous`);
    }
  }
  return wide;
};

/**
 * Compiles `session:{user_id}:{token}`. Throws on unbalanced braces, parameters without grammar (or the reverse),
 * adjacent parameters without a literal between them, and ambiguous patterns.
 */
export const compilePattern = (source: string, grammars: Readonly<Record<string, Grammar>>): Pattern => {
  if (source === '') throw new Error('the pattern is empty');
  const { literals: texts, names } = splitPattern(source);
  for (const name of Object.keys(grammars)) {
    if (!names.includes(name)) throw new Error(`grammar for {${name}}, which the pattern does not have`);
  }
  const params = names.map((name) => {
    const grammar = Object.hasOwn(grammars, name) ? grammars[name] : undefined;
    if (grammar === undefined) throw new Error(`no grammar for {${name}}`);
    return { name, grammar };
  });
  const literals = texts.map(encodeText);
  for (let i = 1; i < params.length; i++) {
    if (literals[i]!.length === 0) throw new Error(`nothing between {${names[i - 1]}} and {${names[i]}}`);
  }
  const literalBytes = literals.reduce((sum, literal) => sum + literal.length, 0);
  const minLength = params.reduce((sum, param) => sum + param.grammar.min, literalBytes);
  return { source, literals, params, wide: findWide(literals, params), literalBytes, minLength };
};

const runEnd = (table: Uint8Array, bytes: Uint8Array, start: number, limit: number): number => {
  let at = start;
  while (at < limit && table[bytes[at]!] !== 0) at++;
  return at;
};

const runStart = (grammar: Grammar, bytes: Uint8Array, low: number, end: number): number => {
  if (grammar.startBefore !== undefined) return grammar.startBefore(bytes, low, end);
  let at = end;
  while (at > low && grammar.table[bytes[at - 1]!] !== 0) at--;
  return at;
};

const fits = (grammar: Grammar, bytes: Uint8Array, start: number, end: number): boolean => {
  const length = end - start;
  if (length < grammar.min || length > grammar.max) return false;
  return grammar.accepts === undefined || grammar.accepts(bytes, start, end);
};

/** Whether all of `bytes` matches the grammar. */
export const fitsGrammar = (grammar: Grammar, bytes: Uint8Array): boolean =>
  runEnd(grammar.table, bytes, 0, bytes.length) === bytes.length && fits(grammar, bytes, 0, bytes.length);

/** Matches the parameters right of the wide one, from the right. Returns the end of the wide one, or -1. */
const matchFromRight = (
  pattern: Pattern,
  bytes: Uint8Array,
  low: number,
  limit: number,
  spans: Int32Array,
): number => {
  let end = limit;
  for (let i = pattern.params.length - 1; i > pattern.wide; i--) {
    const { grammar } = pattern.params[i]!;
    const start = runStart(grammar, bytes, low, end);
    if (start < 0 || !fits(grammar, bytes, start, end)) return -1;
    const literal = pattern.literals[i]!;
    if (start - literal.length < low || !bytesEqualAt(bytes, start - literal.length, literal)) return -1;
    spans[2 * i] = start;
    spans[2 * i + 1] = end;
    end = start - literal.length;
  }
  return end;
};

/** The end of the first parameter in the last tried pattern, reused by other patterns with the same beginning. */
export interface FirstRun {
  table: Uint8Array | null;
  start: number;
  end: number;
}

const firstRunEnd = (first: FirstRun, table: Uint8Array, bytes: Uint8Array, start: number): number => {
  if (first.table !== table || first.start !== start) {
    first.table = table;
    first.start = start;
    first.end = runEnd(table, bytes, start, bytes.length);
  }
  return first.end;
};

/**
 * Whether a key matches, given that its first literal does. Writes start and end of every parameter into `spans` (two
 * numbers each). Reads every byte a bounded number of times.
 */
export const matchAfterPrefix = (
  pattern: Pattern,
  bytes: Uint8Array,
  spans: Int32Array,
  first?: FirstRun,
): boolean => {
  const { params, literals, wide } = pattern;
  const count = params.length;
  if (bytes.length < pattern.minLength) return false;
  if (count === 0) return bytes.length === pattern.literalBytes;
  const suffix = literals[count]!;
  const limit = bytes.length - suffix.length;
  if (suffix.length > 0 && !bytesEqualAt(bytes, limit, suffix)) return false;
  let at = literals[0]!.length;
  for (let i = 0; i < count; i++) {
    const { grammar } = params[i]!;
    const target =
      i === wide ? matchFromRight(pattern, bytes, at, limit, spans) : i === count - 1 ? limit : -1;
    if (i === wide && target < 0) return false;
    const most = target < 0 ? limit : target;
    const end =
      i === 0 && first
        ? Math.min(firstRunEnd(first, grammar.table, bytes, at), most)
        : runEnd(grammar.table, bytes, at, most);
    if (target >= 0 && end !== target) return false;
    // The cheapest check first.
    const literal = literals[i + 1]!;
    if (target < 0 && (end + literal.length > limit || !bytesEqualAt(bytes, end, literal))) return false;
    if (!fits(grammar, bytes, at, end)) return false;
    spans[2 * i] = at;
    spans[2 * i + 1] = end;
    if (target >= 0) return true;
    at = end + literal.length;
  }
  return true;
};

/** Like `matchAfterPrefix`, for a key whose first literal was not checked. */
export const matchPattern = (pattern: Pattern, bytes: Uint8Array, spans: Int32Array): boolean => {
  const prefix = pattern.literals[0]!;
  return (
    bytes.length >= prefix.length && bytesEqualAt(bytes, 0, prefix) && matchAfterPrefix(pattern, bytes, spans)
  );
};
