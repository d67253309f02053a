/**
 * Makes text of unknown origin safe to display: invisible characters are escaped, long text is truncated. Isomorphic.
 */

export interface TextPiece {
  text: string;
  /** The escape of an invisible character (`\x1b`, `\u202e`). */
  escaped: boolean;
}

export interface VisibleText {
  pieces: TextPiece[];
  /** How many characters were cut out, before `end`. */
  cut: number;
  /** The end of a text that was cut, because names often differ only there. */
  end: TextPiece[];
}

// Controls, line separators, direction marks, zero-width and other formats, variation selectors, private use, and the
// braille pattern without dots.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u2800]/u;

const NAMES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0)!;
  if (NAMES[character]) return NAMES[character];
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
};

// U+FE0F behind a symbol, and U+200D between two of them, belong to an emoji.
const isJoiner = (characters: string[], i: number): boolean =>
  (characters[i] === '\ufe0f' && /[\p{Extended_Pictographic}\d#*]/u.test(characters[i - 1] ?? '')) ||
  (characters[i] === '\u200d' &&
    /\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier}/u.test(characters[i - 1] ?? '') &&
    /\p{Extended_Pictographic}/u.test(characters[i + 1] ?? ''));

const piecesOf = (characters: string[]): TextPiece[] => {
  const pieces: TextPiece[] = [];
  for (const [i, character] of characters.entries()) {
    const escaped = UNSEEN.test(character) && !isJoiner(characters, i);
    const shown = escaped ? escapeOf(character) : character;
    const last = pieces.at(-1);
    if (last && last.escaped === escaped) last.text += shown;
    else pieces.push({ text: shown, escaped });
  }
  return pieces;
};

/** Splits `text` into visible pieces of at most `max` characters; the last quarter of a longer text is its end. */
export const visiblePieces = (text: string, max = 200): VisibleText => {
  // Most texts: their characters need no counting and no examination.
  if (text !== '' && text.length <= max && !UNSEEN.test(text))
    return { pieces: [{ text, escaped: false }], cut: 0, end: [] };
  // An application's value can be megabytes: read only what can be shown.
  const characters = Array.from(text.slice(0, 2 * (max + 1)));
  if (characters.length <= max) return { pieces: piecesOf(characters), cut: 0, end: [] };
  const atEnd = Math.floor(max / 4);
  const last = atEnd === 0 ? [] : Array.from(text.slice(-2 * atEnd)).slice(-atEnd);
  return {
    pieces: piecesOf(characters.slice(0, max - atEnd)),
    cut: countOf(text) - max,
    end: piecesOf(last),
  };
};

const countOf = (text: string): number => {
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    const high = text.charCodeAt(i);
    const low = text.charCodeAt(i + 1);
    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) pairs++;
  }
  return text.length - pairs;
};

const joined = (pieces: readonly TextPiece[]): string => pieces.map((piece) => piece.text).join('');

/** The same as one string, for titles, labels and toasts. */
export const visibleText = (text: string, max = 80): string => {
  const { pieces, cut, end } = visiblePieces(text, max);
  return joined(pieces) + (cut > 0 ? '…' : '') + joined(end);
};

/**
 * What a name must not show literally: invisible characters, and all blanks except single spaces between other
 * characters.
 */
const HIDDEN =
  /^ | $| (?= )|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|\\(?![!-[\]-wy-~])/gu;

const MAY_BE_HIDDEN = new RegExp(`(${HIDDEN.source})|[^\\0-\\u02ff]`, 'gu');

const isInvisible = (character: string): boolean =>
  character !== ' ' && character !== '\\' && character.replace(HIDDEN, '') === '';

/**
 * Whether a name must not show a character behind `before`: it is invisible, or looks like another spelling, alone or
 * with the one before it (U+212A like `K`, `e` and U+0301 like `é`).
 */
export const isHiddenInNames = (character: string, before = ''): boolean =>
  isInvisible(character) ||
  (character > '\u02ff' && (before + character).normalize('NFC') !== before + character);

export const escapeByte = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;

/**
 * A name as text from which `bytesOfName` restores the same bytes: invisible characters as `\xNN`, and so a backslash
 * that could begin such an escape.
 */
export const nameText = (text: string): string =>
  text.replace(MAY_BE_HIDDEN, (found, blank: string | undefined, at: number) => {
    const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1);
    if (blank === undefined && !isHiddenInNames(found, before)) return found;
    return Array.from(new TextEncoder().encode(found), escapeByte).join('');
  });

const ESCAPE = /\\\\x|\\x([0-9a-fA-F]{2})/g;

/** The bytes of a name as it is shown or typed: UTF-8, `\xNN` for a byte, `\\x` for a backslash before an x. */
export const bytesOfName = (text: string): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder();
  const parts: number[] = [];
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(...encoder.encode(text.slice(at, match.index)));
    if (match[1] === undefined) parts.push(...encoder.encode('\\x'));
    else parts.push(Number.parseInt(match[1], 16));
    at = match.index + match[0].length;
  }
  parts.push(...encoder.encode(text.slice(at)));
  return Uint8Array.from(parts);
};
