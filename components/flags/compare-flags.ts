import type { Result } from '@/lib/contract';
import type { Flag, flagContracts } from '@/lib/flags/schema';

/** The flags of one connection; `unknown` while it cannot be read. */
export type ListedFlags =
  | Pick<Result<typeof flagContracts.list>, 'items' | 'complete'>
  | 'loading'
  | 'unknown';

/** A flag on one connection. */
export type Held = Flag | 'missing' | 'loading' | 'unknown';

/** A flag on several connections, in their order. */
export interface ComparedFlag {
  name: string;
  held: Held[];
  /** Whether known values differ. */
  differs: boolean;
  /** Whether all values are known. */
  isKnown: boolean;
}

/** Equal for values that mean the same: formats of a boolean do. null for what cannot be compared. */
const meaningOf = (held: Held): string | null => {
  if (typeof held === 'string') return held === 'missing' ? held : null;
  if (held.enabled !== null) return held.enabled ? 'on' : 'off';
  return held.type === 'string' ? `etag ${held.etag}` : null;
};

const finderIn = (list: ListedFlags): ((name: string) => Held) => {
  if (typeof list === 'string') return () => list;
  const byName = new Map(list.items.map((flag) => [flag.name, flag]));
  // A name that was not found yet may exist.
  return (name) => byName.get(name) ?? (list.complete ? 'missing' : 'unknown');
};

const namesIn = (lists: readonly ListedFlags[]): string[] => {
  const names = lists.flatMap((list) => (typeof list === 'string' ? [] : list.items.map(({ name }) => name)));
  return [...new Set(names)].sort();
};

/** These flags on each connection; all of them by default, by name. */
export const compareFlags = (
  lists: readonly ListedFlags[],
  names: readonly string[] = namesIn(lists),
): ComparedFlag[] => {
  const finders = lists.map(finderIn);
  return names.map((name) => {
    const held = finders.map((find) => find(name));
    const meanings = held.map(meaningOf);
    const known = new Set(meanings.filter((meaning) => meaning !== null));
    return { name, held, differs: known.size > 1, isKnown: !meanings.includes(null) };
  });
};
