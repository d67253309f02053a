import {
  isLosslessNumber,
  isSafeNumber,
  isNumber as isWritten,
  LosslessNumber,
  parse,
  stringify,
} from 'lossless-json';

/** What only `parse` of the library keeps: 16 digits, or an exponent, where a number can stand. */
const MAY_LOSE = /(?:^|[:[,\s])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The number of a text in digits: as JavaScript's where that loses nothing. */
export const numberOf = (text: string): number | LosslessNumber =>
  isSafeNumber(text) || !isWritten(text) ? Number(text) : new LosslessNumber(text);

/**
 * The value of JSON that others have written. A number that JavaScript would round is a `LosslessNumber`, which has its
 * digits. Throws where the text is not JSON.
 */
export const parseJson = (text: string): unknown =>
  MAY_LOSE.test(text)
    ? parse(text, null, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue })
    : (JSON.parse(text) as unknown);

/** As `parseJson`, of an object; null for anything else. */
export const parseJsonObject = (text: string): Record<string, unknown> | null => {
  if (!/^\s*\{/.test(text)) return null;
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch {
    return null;
  }
};

/** JSON of what `parseJson` returned, with the digits as they stood. Throws where it is nested too deeply. */
export const writeJson = (value: unknown): string => stringify(value) ?? 'null';

export const isNumber = (value: unknown): value is number | LosslessNumber =>
  typeof value === 'number' || isLosslessNumber(value);

/** Text and numbers as text; null for anything else. Ids are compared as this text. */
export const scalarText = (value: unknown): string | null =>
  typeof value === 'string' || isNumber(value) ? String(value) : null;

/** A whole number as applications write ids, with all its digits; text that is none stays text. */
export const idOf = (text: string): string | number | LosslessNumber =>
  /^(?:0|[1-9]\d*)$/.test(text) ? numberOf(text) : text;

export { isLosslessNumber };
