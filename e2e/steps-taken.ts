import type { Page } from '@playwright/test';
import { expect } from './fixtures';

/** Waits until the step back of a drawer that closed is taken: it would abort a navigation begun before. */
export const stepsTaken = async (page: Page): Promise<void> => {
  const drawers = () => page.evaluate(() => window.history.state?.keyward?.drawers ?? 0);
  await expect.poll(drawers).toBe(0);
};
