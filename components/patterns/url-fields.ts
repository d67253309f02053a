import type { Step } from './history-steps';

/** Fields of a page's state and their defaults, as strings. */
export type UrlFields = Record<string, string>;
export type UrlState<F extends UrlFields> = { [K in keyof F]: string };

/** The id of an entity may have 1000 characters. */
const MAX_LENGTH = 1000;

/** Reads the declared fields from a query string; missing or far too long values become the default. */
export const readFields = <F extends UrlFields>(search: string, defaults: F): UrlState<F> => {
  const params = new URLSearchParams(search);
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const value = params.get(name);
    return [name, value === null || value.length > MAX_LENGTH ? fallback : value];
  });
  return Object.fromEntries(entries) as UrlState<F>;
};

/** The query string after `change`; undeclared parameters stay, defaults are omitted. */
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

/** Which fields add a history step when they change; the others replace the current entry. */
export interface StepFields<F extends UrlFields> {
  /** Every change is a step, including a return to the default: tabs. */
  tabs?: readonly (keyof F)[];
  /** Setting one is a step, clearing it goes back: a user, an entry, a drawer. */
  opens?: readonly (keyof F)[];
}

/** The effect of changed fields on the history. */
export const stepOf = <F extends UrlFields>(
  before: UrlState<F>,
  after: UrlState<F>,
  defaults: F,
  { tabs = [], opens = [] }: StepFields<F>,
): Step => {
  const changed = opens.filter((name) => before[name] !== after[name]);
  const emptied = changed.filter((name) => after[name] === defaults[name]);
  if (emptied.length > 0) {
    // One thing replaces another, such as a job the form that started it.
    return emptied.length < changed.length ? 'none' : 'close';
  }
  if (changed.length > 0) return 'open';
  return tabs.some((name) => before[name] !== after[name]) ? 'tab' : 'none';
};
