import { expect, type Page } from '@playwright/test';

/** A step takes milliseconds. */
const OPTIONS = { intervals: [10, 20, 50, 100] };

/** The steps that open drawers have in the history; NaN while the page is being left. */
const drawerSteps = (page: Page): Promise<number> =>
  page.evaluate(() => window.history.state?.keyward?.drawers ?? 0).catch(() => Number.NaN);

/** Waits until a drawer that opened has its step in the history: Back would leave the page at `before`. */
export const stepAdded = (page: Page, before: string): Promise<void> =>
  expect.poll(async () => page.url() !== before || (await drawerSteps(page)) > 0, OPTIONS).toBe(true);

/** Waits until the step back of a drawer that closed is taken: it would abort a navigation begun before. */
export const stepsTaken = (page: Page): Promise<void> => {
  const isOpen = async () => (await page.getByRole('dialog').count()) > 0;
  return expect.poll(async () => (await drawerSteps(page)) === 0 || isOpen(), OPTIONS).toBe(true);
};

/** Every navigation of this page waits for the step back of a drawer. */
export const withSteps = (page: Page): Page => {
  const goto = page.goto.bind(page);
  page.goto = async (address, options) => {
    await stepsTaken(page);
    return goto(address, options);
  };
  return page;
};
