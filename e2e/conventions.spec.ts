import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
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

test('a rule that fails is previewed, and fixed by a job', async ({ signInAs, aside }) => {
  const { wrong, right, taken } = await makeKeys(aside);
  const page = await signInAs('admin');
  await page.goto('/aside/conventions');
  await check(page);

  await openRule(page);
  await expect(drawerOf(page)).toContainText(`${KEYS} violations of`);
  await expect(drawerOf(page).getByText('Failed', { exact: true })).toBeVisible();
  await expect(drawerOf(page).getByRole('table', { name: 'Samples' })).toContainText('Warehouse:Cart:');
  await expectAccessible(page, 'conventions-rule');

  await drawerOf(page).getByRole('button', { name: 'Fix…' }).click();
  await drawerOf(page).getByRole('button', { name: 'Preview fix' }).click();
  const result = drawerOf(page).getByTestId('fix-result');
  await expect(result).toContainText(`${KEYS} keys break this rule`, { timeout: DONE_MS });
  await expect(result).toContainText(`${KEYS - 1} would be fixed`);
  await expect(result).toContainText('1 conflict');
  // A preview changes nothing.
  expect(await aside.exists(...wrong)).toBe(KEYS);

  await drawerOf(page).getByRole('textbox', { name: 'Reason' }).fill('e2e');
  await drawerOf(page)
    .getByRole('button', { name: `Rename ${KEYS - 1} keys` })
    .click();
  await expect(page).toHaveURL(/[?&]job=/);
  await finished(page);
  await expect(result).toContainText(`${KEYS - 1} fixed`);
  await expect(result).toContainText('1 violation is left');
  expect(await aside.exists(...right)).toBe(KEYS);
  expect(await aside.exists(...wrong)).toBe(1);
  // What had the name already is left as it was.
  expect(await aside.get(taken)).toBe(`[${taken}]`);
  expect(await aside.get(right[1]!)).toBe(`[${wrong[1]}]`);
  expect(await aside.ttl(right[1]!)).toBeGreaterThan(3000);
});
