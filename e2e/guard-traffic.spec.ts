import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expectStatus } from './expect-status';
import { expect, skipUntil, test } from './fixtures';
import { uniqueAddress } from './unique';

const BLACKLIST = 'BlacklistIPsSet';
const PERIOD = 'CurrentPeriodMap';
const NOISY = '198.51.100.23';
const GUARD = '/api/v1/connections/demo/guard';

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
const banOf = (page: Page, address: string): Locator =>
  page.getByRole('button', { name: `Blacklist ${address}` });

/** The requests of the period are one map: each test begins with an empty one, and has it for itself. */
const withoutRequests = async (redis: Redis, reserve: (name: string) => Promise<void>): Promise<void> => {
  await reserve(PERIOD);
  await redis.del(PERIOD);
};

test('an address crosses the threshold before one’s eyes, is banned from its row, and the ban is taken back', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  const ip = uniqueAddress();
  await withoutRequests(appRedis, reserve);
  await appRedis.hset(PERIOD, ip, 150);
  const page = await signInAs('admin');
  await page.goto('/demo/guard?top=1000');
  const row = rowOf(page, ip);
  await expect(row).toContainText('150');
  await expect(row).toContainText('75.0%');
  await expect(row).toContainText('not blacklisted');
  await expect(row).not.toContainText('over the threshold');

  await appRedis.hincrby(PERIOD, ip, 51);
  await expect(row).toContainText('over the threshold');
  await expect(row).toContainText('not blacklisted');
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(0);

  await banOf(page, ip).click();
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer.getByLabel('Addresses')).toHaveValue(ip);
  await expect(drawer).toContainText('1 will be banned');
  await drawer.getByLabel('Reason').fill('Ticket 51: floods us');
  await drawer.getByRole('button', { name: 'Ban 1 address' }).click();
  await expect(page.getByText('1 address banned, in force within 15 s')).toBeVisible();
  await expect(row).not.toContainText('not blacklisted');
  await expect(row).toContainText('over the threshold');
  await expect(row).toContainText('blacklisted');
  await expect(banOf(page, ip)).toHaveCount(0);
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(1);

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Taken back')).toBeVisible();
  await expect(row).toContainText('not blacklisted');
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(0);
});

test('chains and junk are text, grouped by whom they claim to be, and cannot be banned', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  await withoutRequests(appRedis, reserve);
  const junk = '<img src=x onerror=alert(20)>\u202e\n';
  await appRedis.hset(PERIOD, '198.18.21.1, 10.0.0.2', 400);
  await appRedis.hset(PERIOD, '198.18.21.1,172.16.0.9', 300);
  await appRedis.hset(PERIOD, junk, 350);
  await appRedis.hset(PERIOD, '198.18.21.2', 'many');
  const page = await signInAs('admin');
  await page.goto('/demo/guard?top=1000');
  const table = page.getByRole('table', { name: 'Heaviest addresses' });
  const chain = table.getByRole('row').filter({ hasText: '198.18.21.1, 10.0.0.2' });
  await expect(chain).toContainText('forwarded chain');
  await expect(chain).toContainText('says it is 198.18.21.1');
  await expect(chain).toContainText('over the threshold');
  await expect(chain.getByRole('button')).toHaveCount(0);
  const rubbish = table.getByRole('row').filter({ hasText: '<img src=x' });
  await expect(rubbish).toContainText('no address');
  await expect(rubbish.getByRole('button')).toHaveCount(0);
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  const claimed = page
    .getByRole('table', { name: 'Forwarded chains' })
    .getByRole('row')
    .filter({ hasText: '198.18.21.1' });
  await expect(claimed).toContainText('700');
  await expect(page.getByText('1 count is unreadable and left out')).toBeVisible();
});

test('a map of the wrong type is told, and one that vanished is empty, not broken', async ({
  anotherAs,
  appRedis,
  reserve,
}) => {
  await withoutRequests(appRedis, reserve);
  await appRedis.hset(PERIOD, '198.18.22.1', 12);
  const page = await anotherAs('support');
  await page.clock.install();
  await page.goto('/demo/guard');
  await expect(rowOf(page, '198.18.22.1')).toBeVisible();
  await appRedis.set(PERIOD, 'not a hash');
  const told = page.getByRole('alert').filter({ hasText: 'The requests cannot be read' });
  await skipUntil(page, () => expect(told).toContainText(PERIOD, { timeout: 1000 }));
  await appRedis.del(PERIOD);
  const empty = page.getByText('No request in this period');
  await skipUntil(page, () => expect(empty).toBeVisible({ timeout: 1000 }));
  await expect(page.getByText('The requests cannot be read')).toHaveCount(0);
  await appRedis.hset(PERIOD, '198.18.22.1', 7);
  await skipUntil(page, () => expect(rowOf(page, '198.18.22.1')).toContainText('7', { timeout: 1000 }));
});

test('a noisy address has a rate, a countdown, and a run over the last periods', async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/live/guard');
  const row = rowOf(page, NOISY);
  await expect(row).toContainText('/s');
  await expect(row).toContainText('over the threshold', { timeout: 30_000 });
  await expect(row).toContainText('not blacklisted');
  await expect(page.getByText('Period ends in').locator('..')).toContainText(/\d+\ss/, { timeout: 30_000 });
  await expect(row.locator('[title^="Requests in the last periods"]')).toHaveAttribute('title', /\d/, {
    timeout: 30_000,
  });
  await page.getByText('Since the beginning').click();
  await expect(page).toHaveURL('/live/guard?map=all');
  await expect(page.getByText('Requests since the beginning')).toBeVisible();
  await expect(row).toContainText(/\d{3},\d{3}/);
  await expect(page.getByRole('columnheader', { name: 'Of the threshold' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the figures as a table' }).click();
  await expect(page.getByRole('table', { name: /Addresses by their requests/ })).toContainText('1,000–9,999');
});

test('a ban with an end is lifted by itself, and that is in the audit log', async ({
  signInAs,
  appRedis,
  state,
}) => {
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

test('a ban gets a note and an end in the drawer, and others afterwards, with undo', async ({
  signInAs,
  appRedis,
}) => {
  const ip = uniqueAddress();
  const page = await signInAs('admin');
  await page.goto(`/demo/guard?ban=${ip}`);
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await drawer.getByLabel('Note').fill('Scraper of the news pages');
  await drawer.getByText('24 h', { exact: true }).click();
  await drawer.getByRole('button', { name: 'Ban 1 address' }).click();
  await expect(page.getByText('1 address banned, in force within 15 s')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Address' }).fill(ip);
  const row = rowOf(page, ip);
  await expect(row).toContainText('Scraper of the news pages');
  await expect(row).toContainText(/in (23|24)\sh|tomorrow|in 1\sd/);

  await row.getByRole('button', { name: `Change note or end of ${ip}` }).click();
  const change = page.getByRole('dialog', { name: 'Change note or end' });
  await expect(change.getByRole('button', { name: 'Save note and end' })).toBeDisabled();
  await change.getByLabel('Note').fill('It is a partner: ask first');
  await change.getByText('Never', { exact: true }).click();
  await change.getByRole('button', { name: 'Save note and end' }).click();
  await expect(page.getByText('Note and end saved')).toBeVisible();
  await expect(row).toContainText('It is a partner: ask first');
  await expect(row).toContainText('never');
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect(row).toContainText('Scraper of the news pages');
  await expect(row).toContainText(/in (23|24)\sh|tomorrow|in 1\sd/);
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(1);
});

test('one’s own address is banned only by who says that they know', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  const own = '127.0.0.1';
  await reserve(`ban-of-${own}`);
  const page = await signInAs('admin');
  await page.goto(`/demo/guard?ban=${own}`);
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer.getByText('Your own address is among them')).toBeVisible();
  const ban = drawer.getByRole('button', { name: 'Ban 1 address' });
  await expect(ban).toBeDisabled();
  await drawer.getByLabel('Addresses').fill('10.4.4.4');
  await expect(drawer.getByText('Nothing new to ban · 1 protected')).toBeVisible();
  await expect(drawer).toContainText('It is a protected address.');
  await drawer.getByLabel('Addresses').fill(own);
  await drawer.getByRole('checkbox', { name: 'I know: ban my own address too' }).check();
  await ban.click();
  await expect(page.getByText('1 address banned, in force within 15 s')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Address' }).fill(own);
  await expect(rowOf(page, own)).toContainText('your address');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => appRedis.sismember(BLACKLIST, own)).toBe(0);
});

test('support looks and cannot ban; a viewer has no way in', async ({ signInAs, appRedis, reserve }) => {
  const ip = uniqueAddress();
  await withoutRequests(appRedis, reserve);
  await appRedis.hset(PERIOD, ip, 205);
  const support = await signInAs('support');
  await support.goto('/demo/guard?top=1000');
  await expect(rowOf(support, ip)).toContainText('over the threshold');
  await expect(banOf(support, ip)).toHaveCount(0);
  await support.getByRole('tab', { name: 'History' }).click();
  await expect(support.getByRole('heading', { name: 'Blacklisted addresses' })).toBeVisible();

  const viewer = await signInAs('viewer');
  await viewer.goto('/demo/guard');
  await expect(viewer.getByRole('table')).toHaveCount(0);
  await expect(viewer.getByRole('tab')).toHaveCount(0);
  await expectStatus(await viewer.request.get(`${GUARD}/ips`), 403);
  const range = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&stepSeconds=3600';
  await expectStatus(await viewer.request.get(`${GUARD}/history?${range}`), 403);
});

test('the history has a chart of each figure, with the figures behind it', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/live/guard?tab=history&range=1h');
  for (const name of ['Blacklisted addresses', 'Blocked projects', 'Projects over their rate limit'])
    await expect(page.getByRole('img', { name: `${name} of live over time` })).toBeVisible();
  await page.getByRole('button', { name: 'Show the figures as a table' }).first().click();
  const table = page.getByRole('table', { name: 'Blacklisted addresses of live over time' });
  await expect(table.getByRole('row').nth(1)).toContainText(/\d/);
  await page.getByText('30 d', { exact: true }).click();
  await expect(page).toHaveURL('/live/guard?tab=history&range=30d');
});
