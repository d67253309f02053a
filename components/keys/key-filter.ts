import type { WireInput } from '@/lib/contract';
import type { keyContracts } from '@/lib/keys/schema';

/** The filter of the list, as strings in the URL; '' matches any. A key must match every field. */
export const NO_FILTER = {
  family: '',
  /** Values of the family's parameters, as a query: `user_id=12`. */
  params: '',
  /** For unclassified keys: the part of the name opened in the tree. */
  prefix: '',
  /** A glob, or a part of the name. */
  q: '',
  state: '',
  type: '',
  /** `none`, `expiring`, or the maximum remaining seconds. */
  ttl: '',
  /** Memory in bytes. */
  min: '',
  max: '',
};
export type KeyFilter = typeof NO_FILTER;

/** The selection in the tree: a family with some of its parameters, or unclassified keys. */
export type Branch = Pick<KeyFilter, 'family' | 'params' | 'prefix' | 'state'>;
export const ALL_KEYS: Branch = { family: '', params: '', prefix: '', state: '' };

export type WireFilter = Omit<WireInput<typeof keyContracts.list>, 'limit' | 'cursor'>;

const STATES = ['classified', 'malformed', 'unclassified'] as const;
export const isState = (text: string): text is (typeof STATES)[number] =>
  (STATES as readonly string[]).includes(text);

/** An integer in the URL; null for other text. */
export const wholeNumber = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

const GLOB = /[*?[\]]|\\(?!x[0-9a-f]{2})/;
const literal = (text: string): string => text.replace(/[*?[\]]|\\(?!x[0-9a-f]{2})/g, '\\$&');

/** A glob is the pattern of a whole name, so it cannot be combined with a prefix. */
export const isGlob = (text: string): boolean => GLOB.test(text);

/** A glob unchanged; any other text is a part of the name, behind the prefix. `\\xNN` is a byte, as in a copied name. */
const globOf = ({ q, prefix }: KeyFilter): string => {
  if (isGlob(q)) return q;
  const start = literal(prefix);
  if (q === '') return start && `${start}*`;
  return prefix !== '' && q.startsWith(prefix) ? `${q}*` : `${start}*${q}*`;
};

const ttlOf = (text: string): Pick<WireFilter, 'ttl' | 'ttlBelowSeconds'> => {
  if (text === 'none' || text === 'expiring') return { ttl: text };
  const seconds = wholeNumber(text);
  return seconds ? { ttlBelowSeconds: seconds } : {};
};

/** The filter in the form of the API; invalid values in the URL are omitted. */
export const wireFilter = (filter: KeyFilter): WireFilter => {
  const match = globOf(filter);
  const [min, max] = [wholeNumber(filter.min), wholeNumber(filter.max)];
  return {
    ...(filter.family && { family: filter.family.slice(0, 100) }),
    ...(filter.family && filter.params && { params: filter.params }),
    ...(match && { match }),
    ...(isState(filter.state) && { state: filter.state }),
    ...(filter.type && { type: filter.type.slice(0, 50) }),
    ...ttlOf(filter.ttl),
    ...(min !== null && { minBytes: min }),
    ...(max !== null && { maxBytes: max }),
  };
};

export const isFiltered = (filter: KeyFilter): boolean => Object.keys(wireFilter(filter)).length > 0;

/** The same filter for the key with exactly the searched name; null without a search, or outside the prefix. */
export const namedFilter = (filter: KeyFilter): WireFilter | null =>
  filter.q === '' || !filter.q.startsWith(filter.prefix)
    ? null
    : { ...wireFilter(filter), match: literal(filter.q) };

/** The parameters of a branch, in order. */
export const paramsIn = (params: string): [string, string][] => [...new URLSearchParams(params)];

/** The parameters with one more value. */
export const paramsWith = (params: string, name: string, value: string): string =>
  new URLSearchParams([...paramsIn(params), [name, value]]).toString();
