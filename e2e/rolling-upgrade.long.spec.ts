import { expect, test } from '@playwright/test';
import { run } from '../scripts/drills/rolling.drill';

test('three consoles are replaced by a version with another schema, and nothing is lost', async () => {
  test.setTimeout(240_000);
  const failures: string[] = [];
  await run({
    say: () => undefined,
    check: (what, held, figures) => {
      if (!held) failures.push(`${what}: ${figures}`);
    },
  });
  expect(failures).toEqual([]);
});
