import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { openOnPhone } from './phone';
import { uniqueId } from './unique';

const KEYS = 6;
const RULE = 'name-case';
const DONE_MS = 60_000;

test.describe.configure({ timeout: 180_000 });

const drawerOf = (page: Page): Locator => page.getByRole('dialog');

/** Keys whose names have capital letters, and what the convention calls them. One of the new names is taken. */
const makeKeys = async (redis: Redis) => {
  const id = `e2e${uniqueId()}`;
  const places = Array.from({ length: KEYS }, (_, i) => i);
  const wrong = places.map((i) => `Warehouse:Cart:${id}${i}`);
  const right = wrong.map((name) => name.toLowerCase());
  const taken = right[0]!;
  for (const name of [...wrong, taken]) await redis.set(name, `[${name}]`, 'EX', 3600);
  return { wrong, right, taken };
};

const finished = async (page: Page): Promise<void> =>
  expect(drawerOf(page).getByText('Done', { exact: true })).toBeVisible({ timeout: DONE_MS });

/** Checks now, and closes the job. */
const check = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Check now' }).click();
  await finished(page);
  await drawerOf(page).getByRole('button', { name: 'Close' }).click();
  await expect(drawerOf(page)).toBeHidden();
};

const openRule = async (page: Page, rule: string = RULE): Promise<void> => {
  await page.goto(`/aside/conventions?rule=${rule}`);
  await expect(drawerOf(page).getByRole('region', { name: 'How to fix it' })).toBeVisible();
};

test('the checklist filters the rules, and a waiver by an admin stops a rule from failing', async ({
  signInAs,
  anotherAs,
  aside,
}) => {
  await makeKeys(aside);
  const page = await signInAs('admin');
  await page.goto('/aside/conventions');
  await check(page);
  const checklist = page.getByRole('region', { name: 'Checklist' });
  await expect(checklist.getByRole('button')).toHaveCount(7);
  await expectAccessible(page, 'conventions');
  const rows = page.getByRole('table', { name: 'Rules' }).getByRole('row');
  await expect.poll(() => rows.count()).toBeGreaterThan(7);
  const all = await rows.count();
  await checklist.getByRole('button').first().click();
  await expect(page).toHaveURL(/[?&]item=naming/);
  await expect.poll(() => rows.count()).toBeLessThan(all);

  await openRule(page);
  await drawerOf(page).getByRole('button', { name: 'Waive…' }).click();
  await drawerOf(page).getByRole('textbox', { name: 'Why' }).fill('e2e: renamed in spring');
  await drawerOf(page)
    .getByLabel('Until')
    .fill(new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 16));
  await expectAccessible(page, 'conventions-waive');
  await drawerOf(page).getByRole('button', { name: 'Waive rule' }).click();
  const waivers = drawerOf(page).getByRole('region', { name: 'Waivers' });
  await expect(waivers).toContainText('e2e: renamed in spring');
  await drawerOf(page).getByRole('button', { name: 'Close' }).click();
  await page.goto('/aside/conventions');
  await check(page);
  await openRule(page);
  await expect(drawerOf(page).getByText('Waived', { exact: true })).toBeVisible();

  // A viewer sees all of it and no button.
  const viewer = await anotherAs('viewer');
  await openRule(viewer);
  await expect(drawerOf(viewer).getByRole('region', { name: 'Waivers' })).toContainText('renamed in spring');
  await expect(drawerOf(viewer).getByRole('button', { name: /^(Fix|Waive|End waiver)/ })).toHaveCount(0);
  await viewer.goto('/aside/conventions');
  await expect(viewer.getByRole('region', { name: 'Checklist' })).toContainText('/ 100');
  await expect(viewer.getByRole('button', { name: 'Check now' })).toHaveCount(0);
  await viewer.close();

  await waivers.getByRole('button', { name: 'End waiver…' }).click();
  await drawerOf(page).getByRole('button', { name: 'End waiver', exact: true }).click();
  await expect(waivers).toContainText('No waivers.');

  for (const tab of ['history', 'policy']) {
    await page.goto(`/aside/conventions?tab=${tab}`);
    await expect(page.getByRole('tab', { selected: true })).toBeVisible();
  }
  await openOnPhone(page, '/aside/conventions');
});
