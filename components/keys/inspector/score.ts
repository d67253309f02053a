const SCORE = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)$/i;

/** A score in Redis' notation: a decimal number, or `inf`. */
export const isScore = (text: string): boolean => SCORE.test(text.trim());
