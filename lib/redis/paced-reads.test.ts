import { expect, it } from 'vitest';
import { ScanBudget } from './budget';
import { pacedOn, readPaced } from './paced-reads';
import type { Node, Topology } from './topology';

const LIMITS = { chunk: 100, pauseMs: 0, maxAddedLatencyMs: 5 };

/** Two nodes, by the first byte of a key; how many calls each budget has made. */
const twoNodes = () => {
  const calls = { a: 0, b: 0 };
  const nodeWith = (name: 'a' | 'b') => {
    const budget = new ScanBudget(LIMITS);
    const record = budget.record.bind(budget);
    budget.record = (...trip) => {
      calls[name] += 1;
      record(...trip);
    };
    return { budget } as Node;
  };
  const nodes = { a: nodeWith('a'), b: nodeWith('b') };
  const topology: Pick<Topology, 'nodeOf'> = { nodeOf: (key) => (key[0] === 97 ? nodes.a : nodes.b) };
  return { topology, calls };
};

const keysOf = (...names: string[]) => names.map((name) => ({ key: Buffer.from(name) }));
const textOf = ({ key }: { key: Buffer }) => key.toString();

it('reads keys in calls of one node each, within its budget, and answers in their order', async () => {
  const { topology, calls } = twoNodes();
  const made: string[][] = [];
  const read = async (some: readonly { key: Buffer }[]) => {
    made.push(some.map(textOf));
    return some.map(textOf);
  };
  const names = ['a1', 'b1', 'a2', 'a3', 'b2'];
  expect(await readPaced(topology, keysOf(...names), 2, read)).toEqual(names);
  expect(made.map((call) => call.join()).sort()).toEqual(['a1,a2', 'a3', 'b1,b2']);
  expect(calls).toEqual({ a: 2, b: 1 });
  expect(await readPaced(topology, [], 2, read)).toEqual([]);
});

it('passes on what a call throws, and makes none after an abort', async () => {
  const { topology } = twoNodes();
  const failing = readPaced(topology, keysOf('a1', 'b1'), 1, async (some) => {
    if (textOf(some[0]!) === 'b1') throw new Error('b1 is away');
    return some;
  });
  await expect(failing).rejects.toThrow('b1 is away');
  let isMade = false;
  const aborted = pacedOn(
    topology,
    Buffer.from('a1'),
    AbortSignal.abort(),
  )(async () => {
    isMade = true;
  });
  await expect(aborted).rejects.toThrow('aborted');
  expect(isMade).toBe(false);
});
