import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expect, test } from './fixtures';
import { uniqueAddress } from './unique';

const BLACKLIST = 'BlacklistIPsSet';
const PERIOD = 'CurrentPeriodMap';

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
const banOf = (page: Page, address: string): Locator => page.getByRole('button', { name: `Ban ${address}` });

/** All requests of the period are in one map: each test reserves it and begins with an empty one. */
const withoutRequests = async (redis: Redis, reserve: (name: string) => Promise<void>): Promise<void> => {
  await reserve(PERIOD);
  await redis.del(PERIOD);
};

test('an address crosses the threshold, is banned from its row, and the ban is undone', {
  tag: '@long',
}, async ({ signInAs, appRedis, reserve }) => {
  const ip = uniqueAddress();
  await withoutRequests(appRedis, reserve);
  await appRedis.hset(PERIOD, ip, 150);
  const page = await signInAs('admin');
  await page.goto('/demo/guard?top=1000');
  const row = rowOf(page, ip);
  await expect(row).toContainText('150');
  await expect(row).toContainText('75.0%');
  await expect(row).toContainText('not banned');
  await expect(row).not.toContainText('over threshold');

  await appRedis.hincrby(PERIOD, ip, 51);
  await expect(row).toContainText('over threshold');
  await expect(row).toContainText('not banned');
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(0);

  await banOf(page, ip).click();
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer.getByLabel('Addresses')).toHaveValue(ip);
  await expect(drawer).toContainText('1 will be banned');
  await drawer.getByLabel('Reason').fill('Ticket 51: floods us');
  await drawer.getByRole('button', { name: 'Ban 1 address' }).click();
  await expect(page.getByText('1 address banned, takes effect within 15 s')).toBeVisible();
  await expect(row).not.toContainText('not banned');
  await expect(row).toContainText('over threshold');
  await expect(row).toContainText('banned');
  await expect(banOf(page, ip)).toHaveCount(0);
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(1);

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Change undone.')).toBeVisible();
  await expect(row).toContainText('not banned');
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(0);
});
