/** Spellings of a boolean that applications use, "on" first. */
const WORDS = [
  ['true', 'false'],
  ['1', '0'],
  ['on', 'off'],
  ['yes', 'no'],
] as const;

/** A stored text as a boolean; null if it is not one. Surrounding spaces are not ignored. */
export const readBoolean = (text: string): boolean | null => {
  const word = text.toLowerCase();
  for (const [on, off] of WORDS) {
    if (word === on) return true;
    if (word === off) return false;
  }
  return null;
};

const inCaseOf = (model: string, word: string): string => {
  if (model === model.toLowerCase()) return word;
  if (model === model.toUpperCase()) return word.toUpperCase();
  const capitalised = model[0]! + model.slice(1).toLowerCase();
  // Mixed case such as tRUE has no pattern to keep: use lower case.
  return model === capitalised ? word[0]!.toUpperCase() + word.slice(1) : word;
};

/**
 * `enabled` in the format of `text`: the same pair of words in the same case (TRUE → FALSE, On → Off). Returns `text`
 * unchanged if it already has this value, null if it is not a boolean.
 */
export const writeBoolean = (text: string, enabled: boolean): string | null => {
  const present = readBoolean(text);
  if (present === null) return null;
  if (present === enabled) return text;
  const [on, off] = WORDS.find((pair) => pair.some((word) => word === text.toLowerCase()))!;
  return inCaseOf(text, enabled ? on : off);
};
