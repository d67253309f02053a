import 'server-only';
import type { ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Reader } from '@/lib/redis/reader';
import { timeRoundTrip } from '@/lib/redis/round-trip';

/** Commands of a task that may share a call with others. */
const MAX_WEIGHT = 100;
/** Elements of a page that cost as much as one command. */
const ELEMENTS_PER_COMMAND = 10;
const ELEMENTS_OF_PAGE = 100;
/** Strings of one call: they may be 64 KiB each. */
const STRINGS_OF_CALL = 10;

interface Task {
  weight: number;
  run(): Promise<void>;
  fail(error: unknown): void;
}

/** Makes calls of a long walk under the connection's scan budget. */
export interface PacedCalls {
  /** Runs work that costs the server as much as this many commands. Work that waits together shares a call. */
  run<T>(weight: number, work: () => Promise<T>): Promise<T>;
}

/** Calls of as many commands as the budget allows, each queued behind other scans of the server and after a pause. */
export const pacedCalls = (
  { budget }: ConnectionHandle,
  signal: AbortSignal,
  isFaster?: () => boolean,
): PacedCalls => {
  const pace = budget.pace('check', { signal, isFaster });
  const waiting: Task[] = [];
  let isRunning = false;

  const nextTasks = (): { tasks: Task[]; weight: number } => {
    const tasks: Task[] = [];
    const most = pace.keys();
    let weight = 0;
    while (waiting[0] && (tasks.length === 0 || weight + waiting[0].weight <= most)) {
      weight += waiting[0].weight;
      tasks.push(waiting.shift()!);
    }
    return { tasks, weight };
  };

  const nextCall = async () => {
    signal.throwIfAborted();
    const { tasks, weight } = nextTasks();
    const trip = await timeRoundTrip(() => Promise.all(tasks.map((task) => task.run())));
    return { ...trip, keys: weight };
  };

  const runAll = async (): Promise<void> => {
    isRunning = true;
    try {
      while (waiting.length > 0)
        // Chosen after the pause, when everything that the last answers led to is waiting.
        await pace.run(nextCall);
    } catch (error) {
      for (const task of waiting.splice(0)) task.fail(error);
    } finally {
      isRunning = false;
    }
  };

  return {
    run: (weight, work) =>
      new Promise((resolve, reject) => {
        // Its own failure concerns nobody else in the call.
        waiting.push({ weight, run: () => work().then(resolve, reject), fail: reject });
        if (!isRunning) void runAll();
      }),
  };
};

const slicesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

const pageWeight = (elements: number): number => 1 + elements / ELEMENTS_PER_COMMAND;

/** The connection's background reader, whose commands go through paced calls. */
export const pacedReader = ({ background }: ConnectionHandle, { run }: PacedCalls): Reader => {
  const readMany = async (commands: readonly ReadCommand[]): Promise<unknown[]> =>
    (
      await Promise.all(
        slicesOf(commands, MAX_WEIGHT).map((slice) =>
          run<readonly unknown[]>(slice.length, () => background.readMany(slice)),
        ),
      )
    ).flat(1);
  return {
    read: (command) => run(1, () => background.read(command)),
    readMany: readMany as unknown as Reader['readMany'],
    getString: (key, maxBytes) => run(STRINGS_OF_CALL, () => background.getString(key, maxBytes)),
    getStrings: async (keys, maxBytes) =>
      (
        await Promise.all(
          slicesOf(keys, STRINGS_OF_CALL).map((slice) =>
            run(MAX_WEIGHT, () => background.getStrings(slice, maxBytes)),
          ),
        )
      ).flat(),
    scanCollection: (command, key, cursor, options = {}) =>
      run(pageWeight(options.count ?? ELEMENTS_OF_PAGE), () =>
        background.scanCollection(command, key, cursor, options),
      ),
    range: (command, key, from, count) =>
      run(pageWeight(count), () => background.range(command, key, from, count)),
    size: () => run(1, () => background.size()),
  };
};
