import { afterEach, expect, it, vi } from 'vitest';
import { MINUTE } from '@/lib/time';
import type { ConnectionHandle } from './connections';
import { SharedPass } from './shared-pass';

afterEach(() => void vi.restoreAllMocks());

const START = 1_800_000_000_000;
/** A server without nodes: passes read nothing. */
const handle = {
  topology: { primaries: () => [], known: async () => {} },
  config: { id: 'x' },
} as unknown as ConnectionHandle;

it('answers the finished pass at once while a newer one runs that will not end in time', async () => {
  let [clock, passes] = [0, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  vi.spyOn(Date, 'now').mockImplementation(() => START + clock);
  const pass = new SharedPass({
    handle,
    sharedMs: 250,
    empty: () => ({ n: 0 }),
    fill: async (found) => {
      passes += 1;
      found.n = passes;
      if (passes > 1) await new Promise(() => undefined);
      clock += 60 * MINUTE;
    },
  });
  const first = await pass.current(30 * MINUTE);
  expect(first).toMatchObject({ found: { n: 1 }, finishedAt: START + 60 * MINUTE });
  clock += 4 * 60 * MINUTE - 1;
  expect(await pass.current(30 * MINUTE)).toMatchObject(first);
  expect(passes).toBe(1);
  clock += 1;
  // Not after half an hour.
  expect(await pass.current(30 * MINUTE)).toMatchObject(first);
  await new Promise(setImmediate);
  expect(passes).toBe(2);
});
