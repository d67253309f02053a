import { expect, it } from 'vitest';
import { examinedIn } from './use-scan-pages';

it('never examines more keys than there are', () => {
  const pages = Array.from({ length: 22 }, () => ({ examined: 1000 }));
  expect(examinedIn(pages, 1)).toBe(1);
  expect(examinedIn(pages, 30_000)).toBe(22_000);
  for (const unknown of [null, 0]) expect(examinedIn(pages, unknown)).toBe(22_000);
  expect(examinedIn(undefined, 5)).toBe(0);
});
