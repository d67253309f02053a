/** Props of a field for exact text: no correction and no completion. */
export const AS_TYPED = {
  autoComplete: 'off',
  autoCapitalize: 'off',
  autoCorrect: 'off',
  spellCheck: false,
} as const;

/** `styles` for exact text: ligatures would hide which characters it has. */
export const MONOSPACE = {
  input: {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontFeatureSettings: "'liga' 0, 'calt' 0",
    fontSize: '0.8rem',
  },
};
