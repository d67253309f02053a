/** How a passphrase stands against guessing, from its length and variety only: nobody else is asked. */
export type Strength = 'short' | 'weak' | 'fair' | 'strong';

export const MIN_PASSPHRASE = 12;

const alphabetOf = (text: string): number =>
  [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^A-Za-z\d]/, 33],
  ].reduce((size, [pattern, count]) => size + ((pattern as RegExp).test(text) ? (count as number) : 0), 0);

/** Runs and repetitions add next to nothing: `aaaaaaaaaaaa`, `121212121212`. */
const distinctParts = (text: string): number => {
  const pairs = new Set<string>();
  for (let i = 1; i < text.length; i++) pairs.add(text.slice(i - 1, i + 1).toLowerCase());
  return pairs.size + 1;
};

/** `weak` below about 50 bits, `strong` from about 75: scrypt takes a quarter of a second for each guess. */
export const strengthOf = (passphrase: string): Strength => {
  if (passphrase.length < MIN_PASSPHRASE) return 'short';
  const words = passphrase
    .trim()
    .split(/[\s_-]+/)
    .filter((word) => word.length >= 3);
  const letters = Math.min(passphrase.length, distinctParts(passphrase));
  // Words are guessed as words: some twelve bits each.
  const bits =
    words.length >= 3 && /^[a-z\s_-]+$/i.test(passphrase)
      ? new Set(words).size * 12.9
      : letters * Math.log2(alphabetOf(passphrase));
  if (bits < 50) return 'weak';
  return bits < 75 ? 'fair' : 'strong';
};
