import type { Page } from '@playwright/test';
import { hrefOf, PAGES } from '../components/shell/pages';
import { expect, test } from './fixtures';

// Nothing may move under the hand: the cumulative layout shift of every page, from the first paint on and over live
// updates, while the pointer rests on it: without one a live list may change its order. Browsers call 0.1 good; 0.02 is
// the limit here.
test.describe.configure({ mode: 'parallel', timeout: 300_000 });

const MAX_SHIFT = 0.02;
const WATCHED_MS = 5000;
/** Pages watched side by side: more would take each other's time to load. */
const BATCH_SIZE = 4;

interface Shift {
  value: number;
  at: number;
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
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[])
        window.shifts.push({
          value: entry.value,
          at: Math.round(entry.startTime),
          sources: entry.sources.map(
            ({ node, previousRect, currentRect }) =>
              `${nameOf(node)} y ${previousRect.y} → ${currentRect.y}, h ${previousRect.height} → ${currentRect.height}`,
          ),
        });
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** Pages with tabs have one page each. */
const TABS: Record<string, string[]> = {
  guard: ['?tab=bans', '?tab=projects', '?tab=limits', '?tab=history'],
  users: ['?tab=tokens'],
  analysis: ['?tab=types', '?tab=spread', '?tab=biggest', '?tab=unclassified'],
  conventions: ['?tab=history', '?tab=policy'],
  locks: ['?tab=processes'],
  server: ['?tab=slowlog', '?tab=latency', '?tab=clients', '?tab=commands'],
  entities: ['?tab=check', '?kind=minidouyin.user&id=1', '?kind=qianxun.room&id=9%3A摄影'],
};

/** Pages that the connection with traffic has not, or has little for. */
const OF_SOCIAL = new Set<string>(['entities', 'presence', 'rooms']);

const addresses = PAGES.flatMap((page) => {
  const href = hrefOf(page, OF_SOCIAL.has(page.id) ? 'social' : 'live');
  return [href, ...(TABS[page.id] ?? []).map((search) => `${href}${search}`)];
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const)
  test(`no page moves while it loads and updates, ${width} px wide`, async ({ anotherAs }) => {
    const found: Record<string, number> = {};
    const moved: string[] = [];
    const first = await anotherAs('admin');
    const watch = async (address: string) => {
      const page = await first.context().newPage();
      await page.setViewportSize({ width, height });
      await record(page);
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.mouse.move(width / 2, height * 0.75);
      await page.waitForFunction((ms) => performance.now() > ms, WATCHED_MS);
      const shifts = await page.evaluate(() => window.shifts);
      const total = shifts.reduce((sum, { value }) => sum + value, 0);
      found[address] = Math.round(total * 10_000) / 10_000;
      if (total > MAX_SHIFT)
        moved.push(
          `${address}: ${found[address]}`,
          ...shifts.map(
            ({ value, at, sources }) => `  ${value.toFixed(4)} at ${at} ms: ${sources.join('; ')}`,
          ),
        );
      await page.close();
    };
    for (let from = 0; from < addresses.length; from += BATCH_SIZE)
      await Promise.all(addresses.slice(from, from + BATCH_SIZE).map(watch));
    test.info().annotations.push({ type: 'layout shift', description: JSON.stringify(found) });
    expect(moved.join('\n')).toBe('');
  });
