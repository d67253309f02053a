import { FLAG_KINDS, type Flag } from '@/lib/flags/schema';

/** Filter values from the URL; unknown values filter nothing. */
export interface FlagFilter {
  q: string;
  /** `on`, `off`, `notBoolean`; empty: any. */
  state: string;
  /** `release`, `killSwitch`, `experiment`; empty: any. */
  kind: string;
  /** Exactly as noted; empty: any. */
  owner: string;
  tag: string;
  /** `stale`, `scheduled`, `waiting` (for approval); empty: any. */
  is: string;
}

export const NO_FILTER: FlagFilter = { q: '', state: '', kind: '', owner: '', tag: '', is: '' };

type Fits = (flag: Flag) => boolean;

const STATES = new Map<string, Fits>([
  ['on', ({ enabled }) => enabled === true],
  ['off', ({ enabled }) => enabled === false],
  ['notBoolean', ({ enabled }) => enabled === null],
]);

const MARKS = new Map<string, Fits>([
  ['stale', ({ stale }) => stale],
  ['scheduled', ({ schedule }) => schedule.length > 0],
  ['waiting', ({ request }) => request != null],
]);

const any = () => true;

const textOf = ({ name, description, owner, tags }: Flag): string =>
  [name, description, owner, ...tags].join(' ');

/** What the flags' owners or tags can be filtered by: all there are, and the value in the URL. */
export const choicesOf = (noted: readonly (string | null)[], chosen: string): string[] =>
  [...new Set([...noted, chosen])]
    .filter((text): text is string => !!text)
    .sort((a, b) => a.localeCompare(b));

/** Flags whose name or what is noted about them contains the text, and that match all other filters. */
export const filterFlags = (flags: readonly Flag[], filter: FlagFilter): Flag[] => {
  const { q, state, kind, owner, tag, is } = filter;
  const words = q.trim().toLowerCase();
  const inState = STATES.get(state) ?? any;
  const marked = MARKS.get(is) ?? any;
  const wanted = FLAG_KINDS.find((each) => each === kind) ?? null;
  return flags.filter(
    (flag) =>
      textOf(flag).toLowerCase().includes(words) &&
      inState(flag) &&
      (wanted === null || flag.kind === wanted) &&
      (owner === '' || flag.owner === owner) &&
      (tag === '' || flag.tags.includes(tag)) &&
      marked(flag),
  );
};
