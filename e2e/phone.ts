import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures';

const PHONE = { width: 390, height: 844 };
/** The lowest start of the first row of a list, pixels. */
const FIRST_ROW = 400;
/** The minimum size for a thumb, pixels. */
const THUMB = 44;

/** Nothing scrolls sideways: neither the page nor a list in it. */
export const expectNoSidewaysScroll = async (page: Page): Promise<void> => {
  const wide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, [data-table-root] section')]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
  );
  expect(wide).toEqual([]);
};

/**
 * Opens a page at the width of a phone; the first row of its list stands high enough, and nothing scrolls sideways.
 * With `alert` an alert above the list may push it down.
 */
export const openOnPhone = async (page: Page, address: string, { alert = false } = {}): Promise<Locator> => {
  await page.setViewportSize(PHONE);
  await page.goto(address);
  const row = page.locator('[data-row]').first();
  await expect(row).toBeVisible({ timeout: 20_000 });
  if (!alert)
    await expect
      .poll(async () => (await row.boundingBox())?.y, { message: `first row of ${address}` })
      .toBeLessThan(FIRST_ROW);
  await expectNoSidewaysScroll(page);
  return page.locator('[data-row]');
};

/** Presses what a thumb can hit without scrolling sideways. */
export const tap = async (target: Locator): Promise<void> => {
  await target.scrollIntoViewIfNeeded();
  const box = (await target.boundingBox())!;
  expect(box.height, 'as tall as a thumb needs').toBeGreaterThanOrEqual(THUMB);
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(PHONE.width);
  await target.click();
};
