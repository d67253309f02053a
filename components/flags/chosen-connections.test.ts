import { expect, it } from 'vitest';
import { ALL, chosenConnections, MAX_OTHERS } from './chosen-connections';

const all = Array.from({ length: 9 }, (_, i) => ({ id: `c${i}` }));
const idsOf = (address: string) => chosenConnections(all, address).map(({ id }) => id);

it('takes the connections in the address, and none that does not exist', () => {
  expect(idsOf('c8,c1,other')).toEqual(['c1', 'c8']);
  expect(idsOf('')).toEqual([]);
});

it('takes as many as can be read side by side', () => {
  expect(idsOf(ALL)).toEqual(all.slice(0, MAX_OTHERS).map(({ id }) => id));
  expect(idsOf(all.map(({ id }) => id).join())).toHaveLength(MAX_OTHERS);
});
