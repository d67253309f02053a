import 'server-only';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Reader } from '@/lib/redis/reader';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { byNode, type Node } from '@/lib/redis/topology';

/** Maximum number of commands of tasks that share a call. */
const MAX_WEIGHT = 100;
/** Elements of a page that cost as much as one command. */
const ELEMENTS_PER_COMMAND = 10;
const ELEMENTS_OF_PAGE = 100;
/** Strings per call: each may take 64 KiB. */
const STRINGS_OF_CALL = 10;
const STRING_WEIGHT = MAX_WEIGHT / STRINGS_OF_CALL;

interface Task {
  weight: number;
  run(): Promise<void>;
  fail(error: unknown): void;
}

/** Makes calls of a long walk under the scan budget of each node. */
export interface PacedCalls {
  /** Runs work on the node of a key at the cost of this many commands. Waiting tasks share a call. */
  run<T>(near: Key, weight: number, work: () => Promise<T>): Promise<T>;
}

type Run = <T>(weight: number, work: () => Promise<T>) => Promise<T>;

/**
 * Makes calls of as many commands as the budget allows, each queued behind other scans of the server and after a
 * pause.
 */
const callsOn = ({ budget }: Node, signal: AbortSignal, isFaster?: () => boolean): Run => {
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
        // Chosen after the pause, when all follow-ups of the last answers are waiting.
        await pace.run(nextCall);
    } catch (error) {
      for (const task of waiting.splice(0)) task.fail(error);
    } finally {
      isRunning = false;
    }
  };

  return (weight, work) =>
    new Promise((resolve, reject) => {
      // A failing task does not fail the others in its call.
      waiting.push({ weight, run: () => work().then(resolve, reject), fail: reject });
      if (!isRunning) void runAll();
    });
};

export const pacedCalls = (
  { topology }: ConnectionHandle,
  signal: AbortSignal,
  isFaster?: () => boolean,
): PacedCalls => {
  const runs = new Map<Node, Run>();
  return {
    run: (near, weight, work) => {
      const node = topology.nodeOf(near);
      const run = runs.get(node) ?? callsOn(node, signal, isFaster);
      runs.set(node, run);
      return run(weight, work);
    },
  };
};

const slicesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

const pageWeight = (elements: number): number => 1 + elements / ELEMENTS_PER_COMMAND;

/** The connection's background reader, with commands in paced calls. */
export const pacedReader = ({ background, topology }: ConnectionHandle, { run }: PacedCalls): Reader => {
  /** In calls for `size` items of one node, each at the cost of `weight` commands. Results in the order of `items`. */
  const readEach = async <T, R>(
    items: readonly T[],
    { keyOf, size, weight }: { keyOf: (item: T) => Key; size: number; weight: number },
    read: (some: readonly T[]) => Promise<readonly R[]>,
  ): Promise<R[]> => {
    const results: R[] = new Array(items.length);
    const readSome = async (places: readonly number[]): Promise<void> => {
      const some = places.map((place) => items[place]!);
      const answers = await run(keyOf(some[0]!), weight * some.length, () => read(some));
      for (const [i, place] of places.entries()) results[place] = answers[i]!;
    };
    const groups = byNode(topology, items, keyOf);
    await Promise.all([...groups.values()].flatMap((places) => slicesOf(places, size).map(readSome)));
    return results;
  };
  const commandsAtOnce = { keyOf: ([, key]: ReadCommand) => key, size: MAX_WEIGHT, weight: 1 };
  const stringsAtOnce = { keyOf: (key: Key) => key, size: STRINGS_OF_CALL, weight: STRING_WEIGHT };
  const readMany = (commands: readonly ReadCommand[]): Promise<unknown[]> =>
    readEach<ReadCommand, unknown>(commands, commandsAtOnce, (some) => background.readMany(some));
  return {
    read: (command) => run(command[1], 1, () => background.read(command)),
    readMany: readMany as unknown as Reader['readMany'],
    getString: (key, maxBytes) => run(key, STRING_WEIGHT, () => background.getString(key, maxBytes)),
    getStrings: (keys, maxBytes) =>
      readEach(keys, stringsAtOnce, (some) => background.getStrings(some, maxBytes)),
    scanCollection: (command, key, cursor, options = {}) =>
      run(key, pageWeight(options.count ?? ELEMENTS_OF_PAGE), () =>
        background.scanCollection(command, key, cursor, options),
      ),
    range: (command, key, from, count) =>
      run(key, pageWeight(count), () => background.range(command, key, from, count)),
    size: () => background.size(),
  };
};
