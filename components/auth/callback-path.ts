/**
 * Where to go after signing in, from an address anyone may have made: only a path of this very origin below
 * `base`, and never back to the sign-in pages. Everything else is the start page.
 */
export const callbackPath = (wanted: string | null | undefined, origin: string, base = ''): string => {
  const home = `${base}/`;
  if (!wanted || !URL.canParse(wanted, origin)) return home;
  const url = new URL(wanted, origin);
  const path = url.pathname.slice(base.length) || '/';
  const inside = url.origin === origin && (base === '' || `${url.pathname}/`.startsWith(`${base}/`));
  // `//host` is another origin once it stands alone.
  if (!inside || url.pathname.startsWith('//') || /^\/(sign-in|setup|api)(\/|$)/.test(path)) return home;
  return url.pathname + url.search + url.hash;
};
