import type { Page } from '@playwright/test';

const watch = (): void => {
  const noted = () => Number(sessionStorage.getItem('e2e-presses') ?? 0);
  const note = ({ isTrusted }: Event) => isTrusted && sessionStorage.setItem('e2e-presses', `${noted() + 1}`);
  addEventListener('pointerdown', note, true);
};

/**
 * Counts how often a user presses a button, a row or a box from now on, in all documents of the page. Fields that a test
 * fills are not counted.
 */
export const countPresses = async (page: Page): Promise<() => Promise<number>> => {
  await page.addInitScript(watch);
  await page.evaluate(watch);
  const read = () => page.evaluate(() => Number(sessionStorage.getItem('e2e-presses') ?? 0));
  const before = await read();
  return async () => (await read()) - before;
};
