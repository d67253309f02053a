import type { TestContext } from './context';

/** Restarts the server after so many of the calls that a walk makes under the connection's budget; tells how often. */
export const restartDuring = ({ handle: { budget }, restart }: TestContext, ...afterCalls: number[]) => {
  const spend = budget.spend.bind(budget);
  let [calls, restarts] = [0, 0];
  budget.spend = async (...args) => {
    calls += 1;
    if (afterCalls.includes(calls)) {
      await restart();
      restarts += 1;
    }
    return spend(...args);
  };
  return { restarts: () => restarts };
};
