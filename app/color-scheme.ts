/**
 * Sets the theme before the first paint, and when the system's changes. The attribute and the stored choice are
 * Mantine's, whose own script would bring its theme to the sign-in page.
 */
export const COLOR_SCHEME_SCRIPT = `
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => {
    try {
      return localStorage.getItem('mantine-color-scheme-value');
    } catch {
      return null;
    }
  };
  const apply = () => {
    const choice = chosen();
    const scheme = choice === 'light' || choice === 'dark' ? choice : system.matches ? 'dark' : 'light';
    document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
  };
  apply();
  system.addEventListener('change', apply);
})();
`;
