import type { BrowserContext, Page } from '@playwright/test';
import { expect } from './fixtures';

/** The maximum cumulative layout shift; browsers call 0.1 good. */
const MAX_SHIFT = 0.02;
const WATCHED_MS = 5000;
/** Pages watched side by side: more would take each other's time to load. */
const BATCH_SIZE = 4;

interface Shift {
  value: number;
  at: number;
  /** Whether only rows of a table moved. */
  rows: boolean;
  sources: string[];
}
declare global {
  interface Window {
    shifts: Shift[];
  }
}

/** Records shifts from the first paint on, with the elements that moved. */
const record = (page: Page) =>
  page.addInitScript(() => {
    interface LayoutShift extends PerformanceEntry {
      value: number;
      sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
    }
    const nameOf = (node: Node | null): string => {
      const element = node instanceof Element ? node : node?.parentElement;
      if (!element) return 'removed';
      const text = (element.textContent ?? '').slice(0, 40);
      return `${element.tagName}.${element.getAttribute('class')?.split(' ')[0] ?? ''} "${text}"`;
    };
    const isInTable = ({ node }: { node: Node | null }): boolean => {
      const element = node instanceof Element ? node : node?.parentElement;
      return Boolean(element?.closest('[data-table-root] section'));
    };
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[])
        window.shifts.push({
          value: entry.value,
          at: Math.round(entry.startTime),
          rows: entry.sources.every(isInTable),
          sources: entry.sources.map(
            ({ node, previousRect, currentRect }) =>
              `${nameOf(node)} y ${previousRect.y} → ${currentRect.y}, h ${previousRect.height} → ${currentRect.height}`,
          ),
        });
    }).observe({ type: 'layout-shift', buffered: true });
  });

export const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/**
 * Nothing moves under the pointer: measures the cumulative layout shift of pages from the first paint on and over live
 * updates, while the pointer rests on them. Without a pointer a live list may change its order.
 */
export const expectNothingMoves = async (
  context: BrowserContext,
  addresses: readonly string[],
  { width, height }: (typeof SIZES)[number],
): Promise<void> => {
  const moved: string[] = [];
  const watch = async (address: string) => {
    const page = await context.newPage();
    await page.setViewportSize({ width, height });
    await record(page);
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // Whoever is about to click moves the pointer; what moved it before hydration is not reported to the page.
    await page.waitForSelector('main[data-hydrated]');
    await page.mouse.move(width / 2, height * 0.75);
    const restsAt = await page.evaluate(() => performance.now());
    await page.waitForFunction((ms) => performance.now() > ms, WATCHED_MS);
    const seen = await page.evaluate(() => window.shifts);
    const shifts = seen.filter(({ rows, at }) => !rows || at > restsAt);
    const total = shifts.reduce((sum, { value }) => sum + value, 0);
    if (total > MAX_SHIFT)
      moved.push(
        `${address}: ${total.toFixed(4)}`,
        ...shifts.map(({ value, at, sources }) => `  ${value.toFixed(4)} at ${at} ms: ${sources.join('; ')}`),
      );
    await page.close();
  };
  for (let from = 0; from < addresses.length; from += BATCH_SIZE)
    await Promise.all(addresses.slice(from, from + BATCH_SIZE).map(watch));
  expect(moved.join('\n')).toBe('');
};
