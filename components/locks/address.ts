import { LOCK_PROBLEMS, type LockProblem } from '@/lib/locks/schema';
import { STAGES, type Stage } from '@/lib/processes/schema';

/** The page's state in the address. */
export const FIELDS = { tab: '', q: '', operation: '', problem: '', process: '', stage: '' };
export type Fields = typeof FIELDS;

export const NO_FILTER = { q: '', operation: '', problem: '', process: '', stage: '' };

export interface LockFilter {
  q?: string;
  operation?: string;
  problem?: LockProblem | 'any';
}

export interface StateFilter {
  q?: string;
  process?: string;
  stage?: Stage | 'stuck';
}

const textOf = (q: string): { q?: string } => (q.trim() ? { q: q.trim().slice(0, 200) } : {});

/** The list's filter; invalid values in the address are ignored. */
export const lockFilterOf = ({ q, operation, problem }: Fields): LockFilter => {
  const known = ([...LOCK_PROBLEMS, 'any'] as const).find((each) => each === problem);
  return { ...textOf(q), ...(operation && { operation }), ...(known && { problem: known }) };
};

export const stateFilterOf = ({ q, process, stage }: Fields): StateFilter => {
  const known = ([...STAGES, 'stuck'] as const).find((each) => each === stage);
  return { ...textOf(q), ...(process && { process }), ...(known && { stage: known }) };
};
