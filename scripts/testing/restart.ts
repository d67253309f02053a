import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from './context';

/** The kinds of work of jobs on the keys of a scan. */
const CHANGES = new Set(['copy', 'delete', 'delete unchanged', 'restore', 'ttl']);

type Kind = 'scan' | 'change';

/** Runs `work` after a call and before the budget's pause, which waits for it; by default after calls of scans. */
export const afterCall = (
  { handle }: TestContext,
  isMeant: (call: number) => boolean,
  work: () => unknown,
  during: Kind = 'scan',
) => {
  const { budget } = handle;
  const pauseBetween = budget.pauseBetween.bind(budget);
  let calls = 0;
  budget.pauseBetween = async (kind, ...args) => {
    if (CHANGES.has(kind) === (during === 'change')) {
      calls += 1;
      if (isMeant(calls)) await work();
    }
    return pauseBetween(kind, ...args);
  };
};

/** Restarts the server after these calls of a scan, while nothing else is in flight. Returns a counter of restarts. */
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

/** Waits until all clients have noticed that the server is unreachable. */
const gone = async ({ handle }: TestContext): Promise<void> => {
  const clients = handle.topology.primaries().flatMap((node) => node.clients());
  while (clients.some(({ redis }) => redis.status === 'ready')) await sleep(1);
};

/** The scan, or the change, continues while the server is down, as in practice. Await `back`. */
export const restartBeside = (test: TestContext, call: number, during: Kind = 'scan') => {
  let back = Promise.resolve();
  afterCall(
    test,
    (at) => at === call,
    () => {
      back = test.restart();
      return gone(test);
    },
    during,
  );
  return { back: () => back };
};

/** Stops the server for good during a scan. */
export const stopServer = (test: TestContext): Promise<void> => {
  test.redis.shutdown('NOSAVE').catch(() => undefined);
  return gone(test);
};
