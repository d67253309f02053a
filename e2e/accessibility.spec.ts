import type { Page } from '@playwright/test';
import { seedSession } from '../scripts/testing/sessions';
import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { etagOf, keyOf, open, press, rowOf } from './flag-list';
import { SAMPLED, sampleReads } from './live-sample';
import { uniqueAddress, uniqueId, uniqueName, uniqueProject } from './unique';

// Every page, by a role that sees all of it, and what opens upon it: axe finds nothing, in both themes and at two
// widths, and nothing scrolls sideways. What only a longer story reaches is looked at in that story.
test.describe.configure({ mode: 'parallel', timeout: 120_000 });

const dialogOf = (page: Page) => page.getByRole('dialog');

test('sign-in, and a page that is not there', async ({ page, signInAs }) => {
  await page.goto('/sign-in');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expectAccessible(page, 'sign-in');
  await signInAs('viewer');
  await page.goto('/demo/nothing');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, 'not-found');
});

test('the overview', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/live/overview');
  // The tiles and the chart have something to show once the sampler has seen the traffic for a while.
  const tile = page.locator('section', {
    has: page.getByRole('heading', { name: 'Hit rate', exact: true }),
  });
  await expect(tile).toContainText('%', { timeout: 30_000 });
  await expect(page.locator('.recharts-area-curve').first()).toBeVisible({ timeout: 40_000 });
  const families = page.getByRole('region', { name: 'Families with most misses' });
  const none = page.getByText('Misses by family are not measured');
  await expect(families.getByRole('link').or(none).first()).toBeVisible();
  await expectAccessible(page, 'overview');
});

test('hit rates: the page, the lifetime of a family, the consent', async ({
  signInAs,
  appRedis,
  request,
  state,
  reserve,
}) => {
  await reserve(SAMPLED);
  await sampleReads(request, state, appRedis);
  const page = await signInAs('product');
  await page.goto('/demo/hit-rates?compare=1');
  await expect(page.getByRole('row', { name: /Topic's authors/ })).toBeVisible();
  await expect(page.getByText('Everything the server counted').or(page.getByText('Why'))).toBeVisible();
  await expectAccessible(page, 'hit-rates');
  await page.goto('/live/hit-rates?family=discours.shouts');
  await expect(dialogOf(page).getByTestId('family-ttl')).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page, 'hit-rates-family-ttl');
  await page.goto('/live/hit-rates');
  await page.getByRole('button', { name: 'Turn on…' }).click();
  await expect(dialogOf(page).getByTestId('flags')).toBeVisible();
  await expectAccessible(page, 'hit-rates-sampling-drawer');
});

test('caches: the list and an invalidation', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/caches');
  await expect(page.getByRole('row', { name: /shouts:\{params\}/ })).toBeVisible();
  await expectAccessible(page, 'caches');
  await page.goto('/live/caches?do=invalidate&family=discours.search-cache');
  await expect(page.getByTestId('preview')).toBeVisible();
  await expectAccessible(page, 'caches-invalidate');
});

test('sessions: the list, a user, the drawer', async ({ signInAs, appRedis }) => {
  const user = { userId: uniqueId(), username: 'e2e-looks' };
  await seedSession(appRedis, user);
  await appRedis.set(`oauth_refresh:${user.userId}:yandex`, `refresh-token-of-${user.userId}`);
  const page = await signInAs('support');
  await page.goto('/demo/sessions');
  await expect(page.getByRole('row').nth(5)).toBeVisible();
  await expectAccessible(page, 'sessions');
  await page.goto(`/demo/sessions?user=${user.userId}&complete=true`);
  await expect(page.getByText('Yandex', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Revoke all sessions of this user' }).click();
  await expect(dialogOf(page)).toContainText('Yandex refresh token (does not expire)');
  await expectAccessible(page, 'sessions-revoke');
  // The demo's hard case: each kind of token, each damage of a session. The demo's own codes may have expired by now.
  const code = { user_id: 5, token_type: 'phone_change', created_at: Math.floor(Date.now() / 1000) };
  await appRedis.set(`verification_token:${uniqueId()}-of-e2e`, JSON.stringify(code), 'EX', 500);
  await page.goto('/demo/sessions?user=5');
  await expect(page.getByRole('heading', { name: 'Caches of this author' })).toBeVisible();
  await expect(page.getByRole('row', { name: /phone change/ }).first()).toBeVisible();
  await expectAccessible(page, 'user');
});

test('tokens: the tabs, the drawer, the proof', async ({ signInAs, appRedis }) => {
  const user = uniqueId();
  for (const kind of ['access', 'refresh'])
    await appRedis.set(`oauth_${kind}:${user}:google`, `${kind}-token-of-${user}`, 'EX', 3000);
  const page = await signInAs('support');
  for (const tab of ['oauth', 'verification', 'states']) {
    await page.goto(`/demo/tokens?tab=${tab}`);
    await expect(page.locator('tr[data-index]').first()).toBeVisible();
    await expect(page.getByRole('group', { name: /^By (provider|type)/ })).toBeVisible();
    await expectAccessible(page, `tokens-${tab}`);
  }
  await page.goto(`/demo/tokens?user=${user}&provider=google`);
  await page.getByRole('button', { name: 'Revoke all matches…' }).click();
  await expect(dialogOf(page)).toContainText('2 tokens match now.');
  await expectAccessible(page, 'tokens-revoke');
  await page.getByRole('button', { name: 'Revoke 2 OAuth tokens' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2 tokens revoked, none remain' })).toBeVisible();
  await expectAccessible(page, 'tokens-proof');
});

test('flags: the list, the question, the history', async ({ signInAs, appRedis, request, state }) => {
  const name = uniqueName('FEATURE_E2E_LOOKS_*');
  await appRedis.set(keyOf(name), 'off');
  const etag = await etagOf(request, state, name);
  const changed = await request.put(`/api/v1/connections/demo/flags/${name}`, {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { enabled: true, etag, reason: 'Ticket 9: everybody asked for it' },
  });
  await expectStatus(changed, 200);
  const page = await signInAs('admin');
  await page.goto('/demo/flags');
  await expect(rowOf(page, name)).toContainText('Ticket 9', { timeout: 20_000 });
  await expectAccessible(page, 'flags');
  await press(page, name);
  await expect(dialogOf(page)).toContainText(`Turn ${name} off?`);
  await expectAccessible(page, 'flags-question');
  await page.goto(`/demo/flags?history=${name}`);
  await expect(dialogOf(page)).toContainText('Ticket 9: everybody asked for it');
  await expectAccessible(page, 'flags-history');
});

test('flags: creating and deleting one', async ({ signInAs, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_LOOKS_*');
  await appRedis.set(keyOf(name), 'off');
  const page = await signInAs('admin');
  await open(page, name);
  await page.getByRole('button', { name: 'Create flag' }).click();
  await dialogOf(page).getByLabel('Name').fill('FEATURE_e2e');
  await expect(dialogOf(page).getByText('Only capital letters')).toBeVisible();
  await expectAccessible(page, 'flags-create');
  await open(page, name);
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await expect(dialogOf(page).getByRole('button', { name: 'Delete flag' })).toBeDisabled();
  await expectAccessible(page, 'flags-delete');
});

const variableOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

test('variables: the list, a revealed value, editing', async ({ signInAs, appRedis }) => {
  const name = uniqueName('E2E_*_PORT');
  await appRedis.set(keyOf(name), 'one');
  const page = await signInAs('admin');
  // A reveal that lasts until it was looked at; with a clock that stands, axe would wait for ever.
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const later = (work: TimerHandler, ms = 0, ...rest: unknown[]) =>
      setTimeout(work, ms > 25_000 ? ms * 100 : ms, ...rest);
    Object.assign(window, { setTimeout: later });
  });
  await page.goto('/demo/env');
  await expect(variableOf(page, 'JWT_SECRET')).toBeVisible({ timeout: 20_000 });
  await expectAccessible(page, 'env');
  await page.getByRole('button', { name: 'Reveal MAIL_SIGNING' }).click();
  await expect(page.getByTestId('revealed')).toBeVisible();
  await page.getByTestId('revealed').scrollIntoViewIfNeeded();
  // Another width shows another row: what is revealed is hidden then, and the later looks see the list.
  await expectAccessible(page, 'env-revealed');
  await page.goto(`/demo/env?q=${name}`);
  await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click();
  const drawer = page.getByRole('dialog', { name: `Edit ${name}`, exact: true });
  await drawer.getByLabel('Value', { exact: true }).fill('two');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer.getByRole('button', { name: 'Save anyway' })).toBeVisible();
  await expectAccessible(page, 'env-doubt');
  await appRedis.set(keyOf(name), 'three');
  await drawer.getByRole('button', { name: 'Save anyway' }).click();
  await expect(drawer.getByRole('alert')).toContainText('Someone changed this variable');
  await expectAccessible(page, 'env-changed');
});

test('variables: history, import, export, backups', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/env?history=JWT_SECRET');
  await expect(page.getByRole('dialog', { name: 'History of JWT_SECRET' })).toBeVisible();
  await expectAccessible(page, 'env-history');
  await page.goto('/demo/env');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByLabel('Dotenv text').fill('LOG_LEVEL=debug\nSMTP_TIMEOUT=soon\nNEW_TOKEN=x\nnone\n');
  await page.getByRole('button', { name: 'Preview changes' }).click();
  await expect(page.getByRole('table', { name: 'Preview of changes' })).toBeVisible();
  await expectAccessible(page, 'env-import');
  await page.goto('/demo/env?tab=backups');
  // The table has an export of its own, without a text.
  await page.getByRole('button', { name: 'Export', exact: true }).filter({ hasText: 'Export' }).click();
  await page.getByLabel('With secrets').click();
  await expectAccessible(page, 'env-export');
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Back up to a file' }).click();
  await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
  await expectAccessible(page, 'env-backup');
});

test('guard: traffic, a ban with an end, its change, the history', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  await reserve('ban-of-127.0.0.1');
  const page = await signInAs('admin');
  await page.goto('/live/guard');
  await expect(page.getByRole('row').filter({ hasText: '198.51.100.23' })).toContainText('/s');
  await expectAccessible(page, 'guard-traffic');
  await page.goto('/demo/guard?ban=127.0.0.1');
  await expect(dialogOf(page).getByText('This bans your own address')).toBeVisible();
  await dialogOf(page).getByText('Until…').click();
  await expectAccessible(page, 'guard-ban');
  const ip = uniqueAddress();
  await appRedis.sadd('BlacklistIPsSet', ip);
  await page.goto(`/demo/guard?tab=bans&q=${ip}`);
  await page.getByRole('button', { name: `Edit note or expiry of ${ip}` }).click();
  await expect(page.getByRole('dialog', { name: 'Edit note or expiry' })).toBeVisible();
  await expectAccessible(page, 'guard-annotate');
  await page.goto('/live/guard?tab=history&range=1h');
  await expect(page.getByRole('img', { name: 'Blocked projects of live over time' })).toBeVisible();
  await expectAccessible(page, 'guard-history');
});

test('guard: both lists, the answers', async ({ signInAs, appRedis }) => {
  const [network, ip, project] = [`${uniqueAddress()}/24`, uniqueAddress(), uniqueProject().toUpperCase()];
  await appRedis.sadd('BlacklistIPsSet', network);
  await appRedis.sadd('DisabledProjectsSet', project);
  const page = await signInAs('admin');
  await page.goto(`/demo/guard?tab=bans&q=${network.slice(0, -3)}`);
  await expect(page.getByRole('row').filter({ hasText: network })).toBeVisible();
  await expectAccessible(page, 'guard-blacklist');
  await page.goto('/demo/guard?tab=bans');
  await page.getByRole('button', { name: 'Ban addresses' }).click();
  await dialogOf(page).getByLabel('Addresses').fill(`${ip}\n${ip}:80\n10.9.9.9`);
  await dialogOf(page).getByRole('button', { name: 'Ban 3 addresses' }).click();
  await expect(page.getByRole('heading', { name: '1 of 3 entries banned' })).toBeVisible();
  await expectAccessible(page, 'guard-answers');
  await page.goto(`/demo/guard?tab=projects&q=${project}`);
  await expect(page.getByRole('row').filter({ hasText: project })).toBeVisible();
  await expectAccessible(page, 'guard-projects');
});

test('jobs: the list and one of them', async ({ signInAs, appRedis, request, state }) => {
  const key = `authored_${uniqueId()}`;
  await appRedis.set(key, '[]');
  const answer = await request.post('/api/v1/connections/demo/caches/invalidate', {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { pattern: key },
  });
  await expectStatus(answer, 202);
  const { jobId } = (await answer.json()) as { jobId: string };
  const page = await signInAs('admin');
  await page.goto('/jobs');
  await expect(page.getByText(`pattern ${key}`)).toBeVisible();
  await expectAccessible(page, 'jobs');
  await page.goto(`/jobs?job=${jobId}`);
  await expect(dialogOf(page).getByText('Done', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page, 'jobs-drawer');
});

test('the audit log and one of its entries', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/audit?action=users.create');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await expectAccessible(page, 'audit');
  await page.getByRole('row').nth(1).getByRole('button').click();
  await expect(dialogOf(page)).toBeVisible();
  await expectAccessible(page, 'audit-entry');
});

test('users: the list, a new one, the tokens, and one’s own account', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/users');
  await expect(page.getByRole('row', { name: /Administrator/ })).toBeVisible();
  await expectAccessible(page, 'users');
  await page.getByRole('button', { name: 'Create user' }).click();
  await expect(dialogOf(page).getByLabel('Name')).toBeVisible();
  await expectAccessible(page, 'users-create');
  await page.goto('/users?tab=tokens');
  await expect(page.getByRole('tab', { name: 'API tokens' })).toHaveAttribute('aria-selected', 'true');
  await expectAccessible(page, 'users-tokens');
  await page.goto('/account');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, 'account');
});
