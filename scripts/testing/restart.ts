import type { TestContext } from './context';

/**
 * Restarts the server after so many of the calls that a walk makes under the connection's budget, while nothing else is
 * on its way; tells how often.
 */
export const restartDuring = ({ handle, restart }: TestContext, ...afterCalls: number[]) => {
  const { budget, own } = handle;
  const spend = budget.spend.bind(budget);
  let [calls, restarts] = [0, 0];
  budget.spend = async (...args) => {
    calls += 1;
    if (afterCalls.includes(calls)) {
      await own.quietly(restart);
      restarts += 1;
    }
    return spend(...args);
  };
  return { restarts: () => restarts };
};
