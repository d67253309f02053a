/** Strength of a passphrase, estimated locally from its length and variety. */
export type Strength = 'short' | 'weak' | 'fair' | 'strong';

export const MIN_PASSPHRASE = 12;

const alphabetOf = (text: string): number =>
  [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^A-Za-z\d]/, 33],
  ].reduce((size, [pattern, count]) => size + ((pattern as RegExp).test(text) ? (count as number) : 0), 0);

/** Number of distinct letter pairs, so repetitions such as `aaaaaaaaaaaa` or `121212121212` count little. */
const distinctParts = (text: string): number => {
  const pairs = new Set<string>();
  for (let i = 1; i < text.length; i++) pairs.add(text.slice(i - 1, i + 1).toLowerCase());
  return pairs.size + 1;
};

/** `weak` below about 50 bits, `strong` from about 75; scrypt makes each guess cost 0.25 s. */
export const strengthOf = (passphrase: string): Strength => {
  if (passphrase.length < MIN_PASSPHRASE) return 'short';
  const words = passphrase
    .trim()
    .split(/[\s_-]+/)
    .filter((word) => word.length >= 3);
  const letters = Math.min(passphrase.length, distinctParts(passphrase));
  // Word lists have about 12.9 bits per word.
  const bits =
    words.length >= 3 && /^[a-z\s_-]+$/i.test(passphrase)
      ? new Set(words).size * 12.9
      : letters * Math.log2(alphabetOf(passphrase));
  if (bits < 50) return 'weak';
  return bits < 75 ? 'fair' : 'strong';
};
