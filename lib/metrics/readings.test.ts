import { afterEach, expect, it, vi } from 'vitest';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { SECOND } from '@/lib/time';
import { readShared } from './readings';

afterEach(() => vi.useRealTimers());

/** A connection whose reads end when the test says so. */
const slowConnection = () => {
  const reads: { resolve: (values: unknown) => void; reject: (error: Error) => void }[] = [];
  const getStrings = () => new Promise((resolve, reject) => reads.push({ resolve, reject }));
  const reader = { getStrings, readMany: async () => [-1] };
  const handle = { reader } as unknown as ConnectionHandle;
  const read = async () => {
    const [reading] = await readShared(handle, [{ key: Buffer.from('metrics:a:daily'), kind: 'metric' }]);
    return reading!.figure!.value;
  };
  const end = (i: number, text: string) =>
    reads[i]!.resolve([{ bytes: Buffer.from(text), length: text.length }]);
  return { reads, read, end };
};

it('shares a reading until it ends and four seconds longer, and then reads again', async () => {
  vi.useFakeTimers();
  const { reads, read, end } = slowConnection();
  const first = read();
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  const second = read();
  expect(reads).toHaveLength(1);
  end(0, '1');
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(3 * SECOND);
  expect(await read()).toBe(1);
  await vi.advanceTimersByTimeAsync(SECOND);
  const third = read();
  end(1, '2');
  expect(await third).toBe(2);
  expect(reads).toHaveLength(2);
});

it('gives a failure to all who wait, and takes no newer reading away', async () => {
  vi.useFakeTimers();
  const { reads, read, end } = slowConnection();
  const waiting = [read()];
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  waiting.push(read());
  for (const one of waiting) one.catch(() => undefined);
  reads[0]!.reject(new Error('late'));
  await Promise.all(waiting.map((one) => expect(one).rejects.toThrow('late')));
  const next = read();
  end(1, '3');
  expect(await next).toBe(3);
  expect(await read()).toBe(3);
  expect(reads).toHaveLength(2);
});
