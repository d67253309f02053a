/** A string, a brace, bracket, comma or colon, or a run of other characters; white space is between them. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The white space of a JSON text: after commas and colons, and the indentation of its lines. */
export interface JsonStyle {
  comma: string;
  colon: string;
  /** Null: a single line. */
  indent: string | null;
}

export const COMPACT: JsonStyle = { comma: ',', colon: ':', indent: null };
export const READABLE: JsonStyle = { comma: ',', colon: ': ', indent: '  ' };
/** JavaScript's, then Python's `json.dumps`, then indented styles. */
const KNOWN: readonly JsonStyle[] = [
  COMPACT,
  { comma: ', ', colon: ': ', indent: null },
  READABLE,
  { comma: ',', colon: ': ', indent: '    ' },
  { comma: ',', colon: ': ', indent: '\t' },
];

const MAX_INDENT = 30;

/**
 * Formats a JSON text in a style. Only white space changes: numbers, escapes, duplicate names and their order stay. A
 * loop over tokens, because a value may be nested ten thousand levels deep.
 */
export const inStyle = (text: string, { comma, colon, indent }: JsonStyle): string => {
  const parts: string[] = [];
  const tokens = text.match(TOKENS) ?? [];
  let depth = 0;
  // Deeper lines are not indented further, because their indentation would be most of the text.
  const line = () => (indent === null ? '' : `\n${indent.repeat(Math.min(depth, MAX_INDENT))}`);
  tokens.forEach((token, i) => {
    const previous = tokens[i - 1];
    if (token === '}' || token === ']') {
      depth--;
      parts.push(previous === '{' || previous === '[' ? token : line() + token);
      return;
    }
    if (previous === '{' || previous === '[') parts.push(line());
    if (token === ',') parts.push(indent === null ? comma : `,${line()}`);
    else if (token === ':') parts.push(colon);
    else parts.push(token);
    if (token === '{' || token === '[') depth++;
  });
  return parts.join('');
};

/** The style that reproduces the text exactly; null without one: then the text is edited unchanged. */
export const styleOf = (text: string): JsonStyle | null =>
  KNOWN.find((style) => inStyle(text, style) === text) ?? null;
