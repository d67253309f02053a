import {
  isLosslessNumber,
  isSafeNumber,
  isNumber as isWritten,
  LosslessNumber,
  parse,
  stringify,
} from 'lossless-json';

/** Only the library's `parse` keeps these: 16 digits, or an exponent, where a number may be. */
const MAY_LOSE = /(?:^|[:[,\s])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The number in a text: as JavaScript's number, where that is exact. */
export const numberOf = (text: string): number | LosslessNumber =>
  isSafeNumber(text) || !isWritten(text) ? Number(text) : new LosslessNumber(text);

/**
 * The value of JSON from other applications. A number that JavaScript would round becomes a `LosslessNumber`, which
 * has its digits. Throws where the text is not JSON.
 */
export const parseJson = (text: string): unknown =>
  MAY_LOSE.test(text)
    ? parse(text, null, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue })
    : (JSON.parse(text) as unknown);

/** Like `parseJson`, for an object; null for anything else. */
export const parseJsonObject = (text: string): Record<string, unknown> | null => {
  if (!/^\s*\{/.test(text)) return null;
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch {
    return null;
  }
};

/** JSON of a value from `parseJson`, with the original digits. Throws where it is nested too deeply. */
export const writeJson = (value: unknown): string => stringify(value) ?? 'null';

export const isNumber = (value: unknown): value is number | LosslessNumber =>
  typeof value === 'number' || isLosslessNumber(value);

/** Text and numbers as text; null for anything else. Ids are compared as this text. */
export const scalarText = (value: unknown): string | null =>
  typeof value === 'string' || isNumber(value) ? String(value) : null;

/** An integer as applications write ids, with all its digits; any other text stays text. */
export const idOf = (text: string): string | number | LosslessNumber =>
  /^(?:0|[1-9]\d*)$/.test(text) ? numberOf(text) : text;

export { isLosslessNumber };
