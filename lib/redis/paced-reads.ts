import 'server-only';
import type { Key } from './commands';
import { timeRoundTrip } from './round-trip';
import { byNode, type Topology } from './topology';

/**
 * Reads facts of many keys, in calls of `size` keys of one node, each within the budget of its node: sequentially on a
 * node, in parallel on several. The results are in the order of `items`.
 */
export const readPaced = async <T extends { key: Key }, R>(
  topology: Pick<Topology, 'nodeOf'>,
  items: readonly T[],
  size: number,
  read: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> => {
  const results: R[] = new Array(items.length);
  const onNode = async (paced: ReturnType<typeof pacedOn>, places: readonly number[]): Promise<void> => {
    for (let from = 0; from < places.length; from += size) {
      const some = places.slice(from, from + size);
      const answers = await paced(() => read(some.map((place) => items[place]!)));
      for (const [i, place] of some.entries()) results[place] = answers[i]!;
    }
  };
  const groups = byNode(topology, items, ({ key }) => key);
  await Promise.all(
    [...groups.values()].map((places) => onNode(pacedOn(topology, items[places[0]!]!.key), places)),
  );
  return results;
};

/** Makes calls of a fixed size within the budget of a key's node; none after an abort. */
export const pacedOn = (
  topology: Pick<Topology, 'nodeOf'>,
  key: Key,
  signal?: AbortSignal,
): (<T>(call: () => Promise<T>) => Promise<T>) => {
  const walk = topology.nodeOf(key).budget.walk(signal);
  return async (call) => (await walk(() => timeRoundTrip(call))).value;
};
