import type { Result } from '@/lib/contract';
import type { Category, envContracts, Variable } from '@/lib/env/schema';

export type VariableList = Result<typeof envContracts.list>;
export type Missing = VariableList['missing'][number];

/** Parts of the list; the URL holds the selected one. */
export const SHOWN = ['all', 'secret', 'problems', 'missing'] as const;
export type Shown = (typeof SHOWN)[number];

export const shownOf = (text: string): Shown => SHOWN.find((part) => part === text) ?? 'all';

export interface ShownGroup {
  category: Category;
  variables: Variable[];
  missing: Missing[];
}

const PARTS: Record<Shown, (variable: Variable) => boolean> = {
  all: () => true,
  secret: ({ secret }) => secret,
  problems: ({ problems }) => problems.length > 0,
  missing: () => false,
};

/** Number of variables in each part, regardless of the search. */
export const countsOf = ({ groups, missing }: VariableList): Record<Shown, number> => {
  const variables = groups.flatMap((group) => group.variables);
  const count = (shown: Shown) => variables.filter(PARTS[shown]).length;
  return {
    all: count('all'),
    secret: count('secret'),
    problems: count('problems'),
    missing: missing.length,
  };
};

/** Searches names and visible values like the server, never secrets. Leaves out groups without a match. */
export const selectGroups = (
  { groups, missing }: VariableList,
  categories: readonly Category[],
  { q, shown }: { q: string; shown: Shown },
): ShownGroup[] => {
  const wanted = q.trim().toLowerCase();
  const has = (text: string | null): boolean => text?.toLowerCase().includes(wanted) ?? false;
  return categories
    .map((category) => ({
      category,
      variables: (groups.find((group) => group.category === category)?.variables ?? []).filter(
        (variable) => PARTS[shown](variable) && (has(variable.name) || has(variable.value)),
      ),
      missing: missing.filter(
        (variable) =>
          variable.category === category && (shown === 'all' || shown === 'missing') && has(variable.name),
      ),
    }))
    .filter((group) => group.variables.length + group.missing.length > 0);
};
