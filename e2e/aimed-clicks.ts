import type { Page, Response } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expect } from './fixtures';

/** The page's own interval between two answers, ms, and the one of this test. */
const EVERY_MS = 2000;
const FASTER_MS = 150;

const ADDRESS = /198\.19\.7\.\d+/;

export const isTraffic = (answer: Response): boolean => new URL(answer.url()).pathname.endsWith('/guard/ips');

/** Real rows in an order that changes with each answer, and answers that follow each other quickly. */
const shuffleTraffic = async (page: Page): Promise<void> => {
  await page.addInitScript(
    ([from, to]) => {
      const { setInterval } = window;
      Object.assign(window, {
        setInterval: (run: () => void, ms: number) => setInterval.call(window, run, ms === from ? to : ms),
      });
    },
    [EVERY_MS, FASTER_MS],
  );
  let turn = 0;
  await page.route(/\/guard\/ips/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { items: { ip: string }[] };
    // Callers of the previous period, from the seed and other tests, follow without requests.
    const own = body.items.filter(({ ip }) => ADDRESS.test(ip));
    turn += 7;
    const cut = turn % Math.max(1, own.length);
    const items = [...own.slice(cut), ...own.slice(0, cut)];
    await route.fulfill({ response: answer, json: { ...body, items } });
  });
};

/** Thirty rows with a button each. */
export const fillTraffic = async (appRedis: Redis): Promise<void> => {
  await appRedis.del('CurrentPeriodMap');
  await appRedis.hset(
    'CurrentPeriodMap',
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`198.19.7.${i + 1}`, 100 + i])),
  );
};

/**
 * Opens a live table and clicks its buttons while answers arrive between aiming, pressing and releasing: every click
 * must land where it was aimed. The test reserves `CurrentPeriodMap`.
 */
export const expectClicksToLand = async (page: Page, appRedis: Redis, clicks: number): Promise<void> => {
  await fillTraffic(appRedis);
  await shuffleTraffic(page);
  await page.goto('/demo/guard?top=1000');
  const rows = page.locator('[data-row]');
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  const answered = () => page.waitForResponse(isTraffic);
  // The console shares a reading for a moment, so the first one may be older than the data.
  await expect(rows.first()).toContainText(ADDRESS);
  const landed: boolean[] = [];
  for (let click = 0; click < clicks; click++) {
    // Moves to a button, and reads the address under the pointer, because a row may have moved meanwhile.
    await rows
      .nth((click * 3) % 8)
      .getByRole('button')
      .hover();
    const label = await page.locator('[data-row] button:hover').getAttribute('aria-label');
    expect(label, 'the button under the pointer names its address').toMatch(ADDRESS);
    const aimed = ADDRESS.exec(label!)![0];
    await answered();
    await answered();
    await page.mouse.down();
    await answered();
    await page.mouse.up();
    await expect(drawer).toBeVisible();
    landed.push((await drawer.getByLabel('Addresses').inputValue()) === aimed);
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
  }
  expect(landed).toEqual(Array(clicks).fill(true));
};
