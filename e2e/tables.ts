import type { Page } from '@playwright/test';
import { expectLoaded, follow } from './addresses';
import { expect } from './fixtures';

const WIDTHS = [1440, 1280];

/** What exceeds its space: the page, a row's buttons, or the buttons in their column. */
const outside = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth) faults.push(`page ${root.scrollWidth}`);
    for (const cell of document.querySelectorAll('tbody td[data-actions]')) {
      const section = cell.closest('section')!;
      const scroller = section.getBoundingClientRect();
      for (const element of [cell, ...cell.querySelectorAll('a, button')]) {
        const { left, right } = element.getBoundingClientRect();
        const place = element === cell ? scroller : cell.getBoundingClientRect();
        // Beyond its padding a cell shows an ellipsis.
        const padding = element === cell ? 0 : Number.parseFloat(getComputedStyle(cell).paddingRight);
        if (left < place.left - 1 || right > Math.min(place.right - padding, window.innerWidth) + 1)
          faults.push(`${section.ariaLabel}: ${element.tagName} ${element.textContent} ${left} – ${right}`);
      }
    }
    return [...new Set(faults)];
  });

/** The buttons of every row are in sight, and the page is no wider than the window. */
export const expectActionsInSight = async (page: Page, addresses: readonly string[]): Promise<void> => {
  const faults: string[] = [];
  for (const address of addresses) {
    await follow(page, address);
    await expectLoaded(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      // Columns are hidden one frame later.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      for (const fault of await outside(page)) faults.push(`${address} at ${width}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
};
