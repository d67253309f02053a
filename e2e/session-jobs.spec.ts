import { expect, test as plain } from '@playwright/test';
import { seedEveryDamage } from '../scripts/testing/damage';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { seedSession } from '../scripts/testing/sessions';
import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';

const SUPPORT = { email: 'support@example.org', password: 'a-password-of-support' };

/** A console with its own keyspace, so all counts are exact, and a page signed in as support. */
const test = plain.extend<object, { own: PrivateConsole }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const own = await privateConsole({
        KEYWARD_ADMIN_EMAIL: 'first@example.org',
        KEYWARD_ADMIN_PASSWORD: 'a-password-of-mine',
      });
      const made = await fetch(`${own.baseUrl}/api/v1/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...SUPPORT, name: 'Sami Support', role: 'support' }),
      });
      if (!made.ok) throw new Error(await made.text());
      await use(own);
      await own.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],

  page: async ({ own, page }, use) => {
    const api = page.context().request;
    const { csrfToken } = await (await api.get(`${own.baseUrl}/api/auth/csrf`)).json();
    const answer = await api.post(`${own.baseUrl}/api/auth/callback/credentials`, {
      headers: { origin: own.baseUrl },
      form: { ...SUPPORT, csrfToken, json: 'true' },
    });
    await expectStatus(answer, 200);
    await use(page);
  },
});

test.describe.configure({ mode: 'serial', timeout: 300_000 });

const countKeys = async ({ app }: PrivateConsole, match: string): Promise<number> => {
  let [cursor, count] = ['0', 0];
  do {
    const [next, keys] = await app.client.scan(cursor, 'MATCH', match, 'COUNT', 10_000);
    cursor = next;
    count += new Set(keys).size;
  } while (cursor !== '0');
  return count;
};

test('states are counted and filter; a repair is counted by a dry run, then run, with exact counts', async ({
  own,
  page,
}) => {
  const seeded = await seedEveryDamage(own.app.client);
  await page.goto(`${own.baseUrl}/main/sessions`);
  const counts = page.getByRole('region', { name: 'Sessions by state' });
  await expect(counts.getByRole('button', { name: 'stale index 4' })).toBeVisible();
  const { live, unindexed, ghost, noTtl, legacy, malformed } = seeded.byState;
  for (const name of [`live ${live}`, `unindexed ${unindexed}`, `ghost ${ghost}`, `no TTL ${noTtl}`])
    await expect(counts.getByRole('button', { name })).toBeVisible();
  for (const name of [`legacy ${legacy}`, `malformed ${malformed}`])
    await expect(counts.getByRole('button', { name })).toBeVisible();
  await expect(counts).toContainText(`Sessions${seeded.sessions}`);
  await expect(counts).toContainText(`Users${seeded.users}`);

  await counts.getByRole('button', { name: 'ghost 2' }).focus();
  await expect(page.getByRole('tooltip')).toContainText('returns each time that token is used');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/state=ghost/);
  await expect(page.getByTestId('search-state')).toContainText('2 matches: complete');
  await expect(page.locator('tr[data-index]')).toHaveCount(2);

  await page.getByRole('button', { name: 'Repair…' }).last().click();
  const drawer = page.getByRole('dialog', { name: 'Repair sessions and indexes' });
  await expect(drawer.getByRole('checkbox', { checked: true })).toHaveCount(1);
  const repairButton = drawer.getByRole('button', { name: /^(Repair|Nothing to repair)( \d+)?$/ });
  await expect(repairButton).toBeDisabled();
  for (const kind of ['Stale index entries', 'Unindexed sessions', 'Legacy keys', 'Sessions without TTL'])
    await drawer.getByRole('checkbox', { name: kind }).check();
  const keys = await own.app.client.dbsize();
  await drawer.getByRole('button', { name: 'Count repairs' }).click();
  await expect(drawer.getByText('13 to repair. Nothing has changed yet.')).toBeVisible();
  for (const words of [
    '4 entries will be removed.',
    '3 sessions will be added to an index.',
    '2 ghosts will be removed.',
    '2 keys will be deleted.',
    '1 will get a TTL, 1 will be revoked, none stays unchanged.',
    '6 malformed sessions are not repaired',
  ])
    await expect(drawer).toContainText(words);
  expect(await own.app.client.dbsize()).toBe(keys);
  await expectAccessible(page, 'sessions-repair');

  await drawer.getByRole('checkbox', { name: 'Ghosts' }).uncheck();
  await expect(repairButton).toBeDisabled();
  await drawer.getByRole('checkbox', { name: 'Ghosts' }).check();
  await expect(repairButton).toHaveText('Repair 13');
  await drawer.getByLabel('Reason').fill('Ticket 4412: after the restart');
  await repairButton.click();
  await expect(page.getByText('Repaired, none remains')).toBeVisible();
  const outcome = page.getByRole('table', { name: 'Result' });
  for (const [kind, count] of Object.entries({
    'Stale index entries': 4,
    'Unindexed sessions': 3,
    Ghosts: 2,
    'Legacy keys': 2,
    'Sessions without TTL': 2,
  }))
    await expect(outcome.getByRole('row', { name: kind }).getByRole('cell')).toHaveText([
      kind,
      String(count),
      String(count),
      '0',
    ]);
  await expect(page.getByText('1 session was older than the usual lifetime and revoked.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Repaired, none remains')).toBeVisible();
  await expectAccessible(page, 'sessions-repaired');
  await page.getByRole('link', { name: 'View in all jobs' }).click();
  await expect(page.getByRole('dialog')).toContainText('Stale index entries');
  await expect(page.getByRole('dialog')).toContainText('4 → 0');
});

test('the repair’s result is what Redis has', async ({ own }) => {
  const { client } = own.app;
  expect(await countKeys(own, '[0-9]*-*-*')).toBe(0);
  for (const index of ['user_sessions:7', 'user_sessions:8']) expect(await client.exists(index)).toBe(0);
  expect(await client.scard('user_sessions:4')).toBe(2);
  expect(await client.scard('user_sessions:6')).toBe(1);
  const [, keys] = await client.scan('0', 'MATCH', 'session:6:*', 'COUNT', 10_000);
  expect(keys).toHaveLength(1);
  const days = (await client.ttl(keys[0]!)) / 86_400;
  expect(days).toBeGreaterThan(28.9);
  expect(days).toBeLessThanOrEqual(29);
});

test('all matches are counted, revoked as a job, and verified', async ({ own, page }) => {
  const { client } = own.app;
  await client.flushall();
  for (let i = 0; i < 620; i++)
    await seedSession(client, { userId: String(7000 + (i % 31)), username: `bulk-${i % 31}` });
  for (let i = 0; i < 5; i++) await seedSession(client, { userId: '7900', username: 'kept' });
  await client.set('oauth_refresh:7003:google', 'refresh-token-of-7003', 'EX', 86_400);
  await page.goto(`${own.baseUrl}/main/sessions?name=BULK-`);
  await expect(page.getByTestId('search-state')).toContainText('620 matches: complete');
  await expectAccessible(page, 'sessions-search');

  await page.getByRole('button', { name: 'Revoke all matches…' }).click();
  const drawer = page.getByRole('dialog', { name: 'Revoke all matching sessions' });
  await expect(drawer.getByTestId('revoke-count')).toHaveText('620 sessions of 31 users found.');
  await expect(drawer).toContainText('So many are revoked as a background job');
  await expect(drawer).toContainText('1 OAuth refresh token of 1 user');
  await expectAccessible(page, 'sessions-revoke-filter');
  await drawer.getByLabel('Also revoke OAuth tokens of these users').check();
  await expect(drawer).not.toContainText('OAuth refresh token of');
  await drawer.getByLabel('Reason').fill('Ticket 4413: a leaked list');
  await drawer.getByRole('button', { name: 'Revoke 620 sessions' }).click();

  const proof = page.getByRole('status').filter({ hasText: '620 sessions revoked, none remains' });
  await expect(proof).toBeVisible({ timeout: 30_000 });
  for (const [name, value] of Object.entries({
    Matched: 620,
    Remaining: 0,
    Users: 31,
    'OAuth tokens revoked': 1,
  }))
    await expect(proof.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(String(value));
  // The search was repeated automatically.
  await expect(page.getByTestId('search-state')).toContainText('No match: complete');
  await expect(page.getByText('No matching session', { exact: true })).toBeVisible();
  expect(await countKeys(own, 'session:7*')).toBe(5);
  expect(await client.exists('oauth_refresh:7003:google')).toBe(0);
  await expect(page).toHaveURL(/job=/);
  await page.reload();
  await expect(proof).toBeVisible();
  await expectAccessible(page, 'sessions-proof');
  await page.getByRole('button', { name: 'Close the result' }).click();
  await expect(page).not.toHaveURL(/job=/);
});

const fill = async (own: PrivateConsole, count: number): Promise<void> => {
  const batch = 100_000;
  for (let from = 0; from < count; from += batch)
    await own.app.client.eval(
      `for id = ARGV[1], ARGV[1] + ARGV[2] - 1 do redis.call('SET', 'topic_content:' .. id, 'x') end`,
      0,
      from,
      batch,
    );
};

test('a search shows its progress, can be cancelled, and continues after the connection broke', async ({
  own,
  page,
}) => {
  await fill(own, 3_000_000);
  for (let i = 0; i < 40; i++) await seedSession(own.app.client, { userId: '7700', username: 'findable' });
  await page.goto(`${own.baseUrl}/main/sessions`);
  await page.getByRole('searchbox', { name: 'User id or name' }).fill('findable');
  const state = page.getByTestId('search-state');
  await expect(page.getByText(/of 3,000,\d+ keys · .*\/s · about .* left/).first()).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Search progress' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(state).toContainText(/Cancelled at \d+% with/);
  const cancelled = await state.textContent();

  await page.getByRole('button', { name: 'Search again' }).click();
  await expect(state).toContainText(/[1-9]\d* match(es)? so far/);
  await own.app.kill();
  await expect(state).toContainText('Connection lost at', { timeout: 30_000 });
  const kept = await page.locator('tr[data-index]').count();
  expect(kept).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(state).toContainText('Connection lost at');
  await expect(page.locator('tr[data-index]')).toHaveCount(kept);
  expect(cancelled).not.toBe(await state.textContent());
  await expectAccessible(page, 'sessions-lost');
  await own.app.start();
  for (let i = 0; i < 3; i++) await seedSession(own.app.client, { userId: '7700', username: 'findable' });
  // The console reconnects; until then continuing is refused and can be retried.
  const goOn = page.getByRole('button', { name: 'Continue' });
  await expect(async () => {
    if (await goOn.isVisible()) await goOn.click();
    await expect(state).toContainText('3 matches: complete', { timeout: 3000 });
  }).toPass({ timeout: 40_000 });
  await expect(page.locator('tr[data-index]')).toHaveCount(3);
});
