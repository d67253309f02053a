/** The ways of writing a boolean that applications use (issue: flags), on first. */
const WORDS = [
  ['true', 'false'],
  ['1', '0'],
  ['on', 'off'],
  ['yes', 'no'],
] as const;

/** What a stored text says as a boolean; null when it is none. Nothing around it is ignored, spaces neither. */
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
  // tRUE and the like have no case to keep: the plain one is safest.
  return model === capitalised ? word[0]!.toUpperCase() + word.slice(1) : word;
};

/**
 * The text that says `enabled` in the style of `text`: the same pair of words in the same case (TRUE → FALSE,
 * On → Off). Text that already says so comes back as it is. Null when `text` is no boolean.
 */
export const writeBoolean = (text: string, enabled: boolean): string | null => {
  const present = readBoolean(text);
  if (present === null) return null;
  if (present === enabled) return text;
  const [on, off] = WORDS.find((pair) => pair.some((word) => word === text.toLowerCase()))!;
  return inCaseOf(text, enabled ? on : off);
};
