import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expect } from './fixtures';
import { uniqueId } from './unique';

export const KEYS = 6;
export const RULE = 'name-case';
export const DONE_MS = 60_000;

export const drawerOf = (page: Page): Locator => page.getByRole('dialog');

/** Keys whose names have capital letters, and their names by the convention. One of the new names is taken. */
export const makeKeys = async (redis: Redis) => {
  const id = `e2e${uniqueId()}`;
  const places = Array.from({ length: KEYS }, (_, i) => i);
  const wrong = places.map((i) => `Warehouse:Cart:${id}${i}`);
  const right = wrong.map((name) => name.toLowerCase());
  const taken = right[0]!;
  for (const name of [...wrong, taken]) await redis.set(name, `[${name}]`, 'EX', 3600);
  return { wrong, right, taken };
};

export const finished = async (page: Page): Promise<void> =>
  expect(drawerOf(page).getByText('Done', { exact: true })).toBeVisible({ timeout: DONE_MS });

/** Checks now, and closes the job. */
export const check = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Check now' }).click();
  await finished(page);
  await drawerOf(page).getByRole('button', { name: 'Close' }).click();
  await expect(drawerOf(page)).toBeHidden();
};

export const openRule = async (page: Page, rule: string = RULE): Promise<void> => {
  await page.goto(`/aside/conventions?rule=${rule}`);
  await expect(drawerOf(page).getByRole('region', { name: 'How to fix it' })).toBeVisible();
};
