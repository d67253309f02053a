/** Fields of a page's state and their defaults, as strings. */
export type UrlFields = Record<string, string>;
export type UrlState<F extends UrlFields> = { [K in keyof F]: string };

const MAX_LENGTH = 500;

/** Reads the declared fields out of a query string; what is absent or absurdly long is the default. */
export const readFields = <F extends UrlFields>(search: string, defaults: F): UrlState<F> => {
  const params = new URLSearchParams(search);
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const value = params.get(name);
    return [name, value === null || value.length > MAX_LENGTH ? fallback : value];
  });
  return Object.fromEntries(entries) as UrlState<F>;
};

/** The query string after `change`; parameters that are not declared stay, defaults are left out. */
export const nextSearch = <F extends UrlFields>(
  search: string,
  defaults: F,
  change: Partial<UrlState<F>>,
): string => {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === defaults[name]) params.delete(name);
    else params.set(name, value as string);
  }
  return params.toString();
};
