import { expect } from 'vitest';
import { Problem } from '@/lib/errors';

/** The `Problem` that work was refused with; fails where it was not, or broke on something else. */
export const problemOf = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Problem);
      return error as Problem;
    },
  );
