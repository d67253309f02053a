import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ConnectionHandle } from './connections';
import { sharedAnswer } from './shared-answer';

const handle = {} as ConnectionHandle;
const answers = sharedAnswer<number>('answers of a test', 1000, 4);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  answers.forget();
});

/** Resolves with a number that is one more for each reading, after so long. */
const readings = () => {
  let count = 0;
  return (ms: number) => () => {
    count += 1;
    const answer = count;
    return new Promise<number>((resolve) => setTimeout(() => resolve(answer), ms));
  };
};

it('is shared while it is read, however long that takes, and then for as long as it rests', async () => {
  const read = readings();
  const first = answers.of(handle, read(5000));
  vi.advanceTimersByTime(4999);
  const second = answers.of(handle, read(0));
  vi.advanceTimersByTime(1);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  vi.advanceTimersByTime(19_999);
  expect(await answers.of(handle, read(0))).toBe(1);
  vi.advanceTimersByTime(1);
  const third = answers.of(handle, read(0));
  vi.advanceTimersByTime(0);
  expect(await third).toBe(2);
  vi.advanceTimersByTime(999);
  expect(await answers.of(handle, read(0))).toBe(2);
});

it('is a failure only for those who waited', async () => {
  const fails = answers.of(handle, () => Promise.reject(new Error('not now')));
  const waits = answers.of(handle, async () => 1);
  await expect(fails).rejects.toThrow('not now');
  await expect(waits).rejects.toThrow('not now');
  expect(await answers.of(handle, async () => 2)).toBe(2);
});
