import { expect, type Page } from '@playwright/test';
import { stepsTaken } from './steps-taken';

/** A page that reports what its scripts throw to the test that leaves it. */
const thrown = new WeakMap<Page, Error[]>();

export const withErrors = (page: Page): Page => {
  const errors: Error[] = [];
  thrown.set(page, errors);
  page.on('pageerror', (error) => errors.push(error));
  return page;
};

export const expectNoErrors = (page: Page): void =>
  expect(thrown.get(page), 'what the scripts of the page threw').toEqual([]);

/** Leaves a page by the navigation, as users do: what it leaves behind must not break the next one. */
export const leave = async (page: Page): Promise<void> => {
  // On a phone, or signed out, there is no link; an open drawer covers it but does not end it.
  const link = page.locator('nav[aria-label="Pages"] a:not([aria-current])').last();
  if (!page.isClosed() && (await link.count()) > 0) {
    // A drawer that ends with its request closes by a step back, which would undo a step taken meanwhile.
    await expect(page.getByRole('dialog').locator('button[data-loading]')).toHaveCount(0);
    await stepsTaken(page);
    const from = page.url();
    await link.evaluate((element: HTMLElement) => element.click());
    await expect(page).not.toHaveURL(from);
    await expect(page.locator('h1').first()).not.toHaveText('Something went wrong');
  }
  expectNoErrors(page);
};
