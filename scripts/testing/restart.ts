import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from './context';

/** Does something after a call that a walk makes under the connection's budget; the walk waits for it. */
export const afterCall = (
  { handle }: TestContext,
  isMeant: (call: number) => boolean,
  work: () => unknown,
) => {
  const { budget } = handle;
  const spend = budget.spend.bind(budget);
  let calls = 0;
  budget.spend = async (...args) => {
    calls += 1;
    if (isMeant(calls)) await work();
    return spend(...args);
  };
};

/**
 * Restarts the server after so many of the calls that a walk makes under the connection's budget, while nothing else is
 * on its way; tells how often.
 */
export const restartDuring = (test: TestContext, ...afterCalls: number[]) => {
  let restarts = 0;
  afterCall(
    test,
    (call) => afterCalls.includes(call),
    async () => {
      await test.handle.own.whileIdle(test.restart);
      restarts += 1;
    },
  );
  return { restarts: () => restarts };
};

/** Until the client that walks knows that the server is gone. */
const gone = async ({ handle }: TestContext): Promise<void> => {
  const [node] = handle.topology.primaries();
  while (node!.client('scan').redis.status === 'ready') await sleep(1);
};

/** As it happens to people: the walk goes on while the server is away. `back` is to be awaited. */
export const restartBeside = (test: TestContext, call: number) => {
  let back = Promise.resolve();
  afterCall(
    test,
    (at) => at === call,
    () => {
      back = test.restart();
      return gone(test);
    },
  );
  return { back: () => back };
};

/** Ends the server for good, while a walk goes on. */
export const stopServer = (test: TestContext): Promise<void> => {
  test.redis.shutdown('NOSAVE').catch(() => undefined);
  return gone(test);
};
