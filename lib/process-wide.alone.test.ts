import { expect, it, vi } from 'vitest';
import { processWide, processWidePer } from './process-wide';

it('makes a value once, whichever copy of a module asks', async () => {
  const make = vi.fn(() => ({ value: 1 }));
  const first = processWide('test-once', make);
  vi.resetModules();
  const copy = await import('./process-wide');
  const second = copy.processWide('test-once', make);
  expect(first.made()).toBeUndefined();
  expect(second()).toBe(first());
  expect(first.made()).toBe(second());
  expect(make).toHaveBeenCalledTimes(1);
});

it('can be replaced, and is created again after forget()', () => {
  const value = processWide('test-another', () => 'made');
  value.replace('another');
  expect(value()).toBe('another');
  value.forget();
  expect(value()).toBe('made');
});

it('tries again after a failure', () => {
  let fails = true;
  const value = processWide('test-failure', () => {
    if (fails) throw new Error('not yet');
    return 'made';
  });
  expect(value).toThrow('not yet');
  fails = false;
  expect(value()).toBe('made');
});

it('makes one value for each object, and again after forget()', () => {
  const ofObject = processWidePer('test-per-object', ({ id }: { id: number }) => ({ id }));
  const [first, second] = [{ id: 1 }, { id: 2 }];
  const made = ofObject(first);
  expect(ofObject(first)).toBe(made);
  expect(ofObject(second)).toEqual({ id: 2 });
  ofObject.forget();
  expect(ofObject(first)).not.toBe(made);
});
