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
  /** How many characters were cut off. */
  cut: number;
}

// Controls, line separators, direction marks, zero-width and other formats, lone surrogates, private use.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u3164\uffa0]/u;

const NAMES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0)!;
  if (NAMES[character]) return NAMES[character];
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
};

// Emoji sequences are joined by U+200D: a joiner between two visible characters belongs to them.
const isJoiner = (characters: string[], i: number): boolean =>
  characters[i] === '\u200d' &&
  /\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier}/u.test(characters[i - 1] ?? '') &&
  /\p{Extended_Pictographic}/u.test(characters[i + 1] ?? '');

/** Splits `text` into visible pieces and escapes; cuts after `max` characters. */
export const visiblePieces = (text: string, max = 200): VisibleText => {
  // Most text: its characters need not be counted, nor looked at one by one.
  if (text !== '' && text.length <= max && !UNSEEN.test(text))
    return { pieces: [{ text, escaped: false }], cut: 0 };
  // An application's value can be megabytes: read only what can be shown.
  const characters = Array.from(text.slice(0, 2 * (max + 1)));
  const pieces: TextPiece[] = [];
  for (const [i, character] of characters.slice(0, max).entries()) {
    const escaped = UNSEEN.test(character) && !isJoiner(characters, i);
    const shown = escaped ? escapeOf(character) : character;
    const last = pieces.at(-1);
    if (last && last.escaped === escaped) last.text += shown;
    else pieces.push({ text: shown, escaped });
  }
  const total = characters.length > max ? countOf(text) : characters.length;
  return { pieces, cut: Math.max(0, total - max) };
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

/** The same as one string, for titles, labels and toasts. */
export const visibleText = (text: string, max = 80): string => {
  const { pieces, cut } = visiblePieces(text, max);
  return pieces.map((piece) => piece.text).join('') + (cut > 0 ? '…' : '');
};
