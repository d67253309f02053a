/** For a field whose text counts to the letter: nothing corrects or completes it. */
export const AS_TYPED = {
  autoComplete: 'off',
  autoCapitalize: 'off',
  autoCorrect: 'off',
  spellCheck: false,
} as const;

/** `styles` of such a field. Ligatures would draw other characters than the ones that are there. */
export const MONOSPACE = {
  input: {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontFeatureSettings: "'liga' 0, 'calt' 0",
    fontSize: '0.8rem',
  },
};
