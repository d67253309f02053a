import { expect, it, vi } from 'vitest';
import { SingleFlight } from './single-flight';

it('runs one work per key, for all who ask while it is under way', async () => {
  const flights = new SingleFlight<number>();
  let resolve = (_: number) => {};
  const work = vi.fn(
    () =>
      new Promise<number>((done) => {
        resolve = done;
      }),
  );
  const asked = [flights.run('a', work), flights.run('a', work)];
  const other = flights.run('b', async () => 2);
  expect(flights.get('a')).toBe(asked[0]);
  resolve(1);
  expect(await Promise.all([...asked, other])).toEqual([1, 1, 2]);
  expect(work).toHaveBeenCalledTimes(1);
  expect(flights.get('a')).toBeUndefined();
  expect(await flights.run('a', async () => 3)).toBe(3);
});

it('fails for all who asked, and tries again for the next', async () => {
  const flights = new SingleFlight<number>();
  const work = async () => {
    throw new Error('broken');
  };
  const asked = [flights.run('a', work), flights.run('a', work)];
  for (const each of asked) await expect(each).rejects.toThrow('broken');
  expect(await flights.run('a', async () => 1)).toBe(1);
});

it('waits for what is under way, also where it fails', async () => {
  const flights = new SingleFlight<void>();
  flights.run('a', () => Promise.reject(new Error('broken'))).catch(() => undefined);
  await flights.settled();
  expect(flights.get('a')).toBeUndefined();
});
