/**
 * Path to open after sign-in. `wanted` is untrusted: only paths of this origin below `base` are accepted, except the
 * sign-in pages; otherwise the start page.
 */
export const callbackPath = (wanted: string | null | undefined, origin: string, base = ''): string => {
  const home = `${base}/`;
  if (!wanted || !URL.canParse(wanted, origin)) return home;
  const url = new URL(wanted, origin);
  const path = url.pathname.slice(base.length) || '/';
  const inside = url.origin === origin && (base === '' || `${url.pathname}/`.startsWith(`${base}/`));
  // A path that starts with `//host` would lead to another origin.
  if (!inside || url.pathname.startsWith('//') || /^\/(sign-in|setup|api)(\/|$)/.test(path)) return home;
  return url.pathname + url.search + url.hash;
};
