import type { Flag } from '@/lib/flags/schema';

/** Filter values from the URL; unknown values filter nothing. */
export interface FlagFilter {
  q: string;
  /** `on`, `off`, `notBoolean`; empty: any. */
  state: string;
  /** `stale`, `scheduled`, `waiting` (for approval); empty: any. */
  is: string;
}

export const NO_FILTER: FlagFilter = { q: '', state: '', is: '' };

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

/** Flags whose name or description contains the text, and that match the state and the mark. */
export const filterFlags = (flags: readonly Flag[], { q, state, is }: FlagFilter): Flag[] => {
  const words = q.trim().toLowerCase();
  const inState = STATES.get(state) ?? any;
  const marked = MARKS.get(is) ?? any;
  return flags.filter(
    (flag) =>
      `${flag.name} ${flag.description ?? ''}`.toLowerCase().includes(words) && inState(flag) && marked(flag),
  );
};
