import type { CHECKLIST_IDS } from '@/lib/conventions/schema';

/** The page's state in the address. `do` is `fix`, `waive` or empty; `waiver` is the one to end. */
export const FIELDS = {
  tab: 'rules',
  state: '',
  severity: '',
  item: '',
  rule: '',
  do: '',
  family: '',
  waiver: '',
  job: '',
};
export const STEPS = { tabs: ['tab'], opens: ['rule', 'do', 'waiver', 'job'] } as const;

export type ConventionFields = { [K in keyof typeof FIELDS]: string };
export type SetConventionFields = (change: Partial<ConventionFields>) => void;
export type ChecklistItem = (typeof CHECKLIST_IDS)[number];
