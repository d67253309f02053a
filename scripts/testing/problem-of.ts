import { expect } from 'vitest';
import { Problem } from '@/lib/errors';

/** The `Problem` that rejected the work; fails if it succeeded or threw something else. */
export const problemOf = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Problem);
      return error as Problem;
    },
  );
