import type { Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

const AUTHORED = 120;
const UNKNOWN = 30;

/** Lists of an author's publications, without TTL, from `from` on. */
const writeAuthored = async (redis: Redis, from: number, count: number): Promise<void> => {
  const pipeline = redis.pipeline();
  for (let i = from; i < from + count; i++) pipeline.set(`authored_${i}`, '[1]');
  await pipeline.exec();
};

const writeUnknown = async (redis: Redis): Promise<void> => {
  const pipeline = redis.pipeline();
  for (let i = 0; i < UNKNOWN; i++) pipeline.hset(`inv:item:${i}`, { stock: i });
  for (let i = 0; i < UNKNOWN; i++) pipeline.expire(`inv:item:${i}`, 3600);
  await pipeline.exec();
};

const figures = (page: Page) => page.getByRole('region', { name: 'Report in figures' });

/** Runs an analysis and waits for its report, which has this many keys. */
const analyse = async (page: Page, keys: number): Promise<void> => {
  // Reports of earlier tests are stored as well.
  await expect(page.getByText('Not analysed yet').or(figures(page).getByText(/^\d/).first())).toBeVisible();
  const shownAt = page
    .getByText(/^Analysed/)
    .locator('time')
    .first();
  const earlier = (await shownAt.count()) > 0 ? await shownAt.getAttribute('datetime') : null;
  await page.getByRole('button', { name: 'Analyse now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Analyse all keys' });
  await dialog.getByRole('radio', { name: 'Exact' }).check();
  await dialog.getByLabel('Reason').fill('e2e: analysis page');
  await dialog.getByRole('button', { name: 'Start analysis' }).click();
  await expect(page.getByText('Analysis in progress')).toHaveCount(0, { timeout: 60_000 });
  await expect.poll(() => shownAt.getAttribute('datetime'), { timeout: 20_000 }).not.toBe(earlier);
  await expect(figures(page)).toContainText(`Keys${keys}`);
};

test('product analyses all keys and sees exact counts', async ({ signInAs, aside }) => {
  await writeAuthored(aside, 1, AUTHORED);
  await writeUnknown(aside);
  const page = await signInAs('product');
  await page.goto('/aside/analysis');
  await analyse(page, AUTHORED + UNKNOWN);
  await expect(figures(page)).toContainText(`Without TTL${AUTHORED}`);
  await expect(figures(page)).toContainText(`Unclassified${UNKNOWN}`);
  await expect(page.getByText(/· complete · exact memory/)).toBeVisible();
  const table = page.getByRole('table', { name: 'Families by memory' });
  const row = table.locator('tbody [data-row]').filter({ hasText: String(AUTHORED) });
  await expect(row).toHaveCount(1);
  await expectAccessible(page, 'analysis');

  await row.getByRole('button').first().click();
  await expect(page.getByRole('dialog')).toContainText(`string ${AUTHORED}`);
  await expectAccessible(page, 'analysis-family');
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();

  await page.getByRole('tab', { name: 'Unclassified' }).click();
  const prefixes = page.getByRole('table', { name: 'Unclassified keys by prefix' });
  await expect(prefixes.locator('tbody [data-row]').first()).toContainText('inv:item:');
  await page.getByRole('tab', { name: 'TTL, size, idle' }).click();
  await expect(page.getByText(`${UNKNOWN} keys with a TTL, ${AUTHORED} keys without`)).toBeVisible();
});
