import { describe, expect, it } from 'vitest';
import type { ScanPlace } from '@/lib/redis/scan-nodes';
import { noFacts, type ReadFacts } from './facts';
import { type Gathered, gathered } from './gathered';

const PART = { index: 0, share: 0, weight: 1 };

/** A call that read these keys, of which the first is a large collection. */
const callOf = (
  names: string[],
  place: Pick<ScanPlace, 'cursor' | 'share'>,
): ScanPlace & { value: () => ReadFacts } => ({
  value: () => ({
    ...noFacts(),
    keys: names.map((name) => Buffer.from(name)),
    types: names.map(() => 'hash'),
    ttls: names.map((_, i) => (i === 0 ? -1 : 1000)),
    memory: names.map((_, i) => i),
    lengths: names.map(() => null),
    encodings: names.map(() => null),
    idle: names.map(() => null),
    large: names.length > 0 ? [0] : [],
    vanished: 1,
    serverMs: 2,
    at: Number(place.cursor ?? 9),
  }),
  ...place,
  isStill: true,
  part: PART,
  count: names.length,
});

async function* calls() {
  yield callOf(['a', 'b'], { cursor: '1', share: 0.2 });
  yield callOf([], { cursor: '2', share: 0.4 });
  yield callOf(['c', 'd'], { cursor: '3', share: 0.6 });
  yield callOf(['e'], { cursor: null, share: 1 });
}

const groupsOf = async (keys: number): Promise<Gathered[]> => {
  const groups: Gathered[] = [];
  for await (const group of gathered(calls(), keys)) groups.push(group);
  return groups;
};

describe('gathered calls', () => {
  it('are one with the facts of all and the place of the last', async () => {
    const [first, last, ...more] = await groupsOf(3);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ calls: 3, cursor: '3', share: 0.6, isStill: true });
    expect(first!.facts.keys.map(String)).toEqual(['a', 'b', 'c', 'd']);
    // Places of large collections are those among all keys.
    expect(first!.facts).toMatchObject({
      large: [0, 2],
      memory: [0, 1, 0, 1],
      vanished: 3,
      serverMs: 6,
      at: 1,
    });
    // The third call was made at 3 ms.
    expect(first!.facts.ttls).toEqual([-1, 1000, -1, 1002]);
    expect(last).toMatchObject({ calls: 1, cursor: null, share: 1, facts: { large: [0], vanished: 1 } });
  });

  it('are each one where a call reads enough', async () => {
    expect((await groupsOf(1)).map((group) => group.calls)).toEqual([1, 2, 1]);
  });
});
