import type { Locator, Page } from '@playwright/test';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { uniqueAddress } from './unique';

const BLACKLIST = 'BlacklistIPsSet';
const NOISY = '198.51.100.23';
const GUARD = '/api/v1/connections/demo/guard';

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

test('a noisy address has a rate, a countdown, and a run over the last periods', async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/live/guard');
  const row = rowOf(page, NOISY);
  await expect(row).toContainText('/s');
  await expect(row).toContainText('over threshold', { timeout: 30_000 });
  await expect(row).toContainText('not banned');
  await expect(page.getByText('Period ends in').locator('..')).toContainText(/\d+\ss/, { timeout: 30_000 });
  await expect(row.locator('[title^="Requests in the last periods"]')).toHaveAttribute('title', /\d/, {
    timeout: 30_000,
  });
  await page.getByText('All time').click();
  await expect(page).toHaveURL('/live/guard?map=all');
  await expect(page.getByText('Requests of all time')).toBeVisible();
  await expect(row).toContainText(/\d{3},\d{3}/);
  await expect(page.getByRole('columnheader', { name: 'Of threshold' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('table', { name: /Addresses by their requests/ })).toContainText('1,000–9,999');
});

test('a ban expires, and the audit log records it', async ({ signInAs, appRedis, state }) => {
  const ip = uniqueAddress();
  const page = await signInAs('admin');
  const added = await page.request.post(`${GUARD}/blacklist/add`, {
    headers: { origin: state.baseUrl },
    data: { ips: [ip], note: 'A short one', expiresAt: new Date(Date.now() + 2500).toISOString() },
  });
  await expectStatus(added, 200);
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(1);
  await expect.poll(() => appRedis.sismember(BLACKLIST, ip), { timeout: 30_000 }).toBe(0);
  const lifted = async () => {
    const answer = await page.request.get(`/api/v1/audit?action=guard.blacklist.remove&target=${ip}`);
    return ((await answer.json()) as { items: { reason: string; outcome: string }[] }).items;
  };
  await expect.poll(async () => (await lifted()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
  expect((await lifted())[0]!.reason).toBe('The ban ended.');
});

test('the history has a chart of each figure, and its values as a table', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/live/guard?tab=history&range=1h');
  for (const name of ['Banned addresses', 'Blocked projects', 'Limited projects'])
    await expect(page.getByRole('img', { name: `${name} of live over time` })).toBeVisible();
  await page.getByRole('button', { name: 'Show as table' }).first().click();
  const table = page.getByRole('table', { name: 'Banned addresses of live over time' });
  await expect(table.getByRole('row').nth(1)).toContainText(/\d/);
  await page.getByText('30 d', { exact: true }).click();
  await expect(page).toHaveURL('/live/guard?tab=history&range=30d');
});
