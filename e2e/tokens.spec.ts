import type { Locator, Page } from '@playwright/test';
import { Redis } from 'ioredis';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { auditOf, listen } from './told';
import { uniqueId } from './unique';

const DAY = 86_400;
const API = '/api/v1/connections/demo/tokens';

const now = (): number => Math.floor(Date.now() / 1000);

/** A token as it lies in Redis: its value, or what is secret in its key's name. */
const secret = (user: string, name: string): string => `e2e-secret-${name}-of-${user}-0123456789abcdef`;

/** Google: access (JSON, nearly over) and refresh (bare). GitHub: refresh without TTL. */
const giveOauth = async (redis: Redis, user: string): Promise<void> => {
  const json = { token: secret(user, 'access'), provider: 'google', created_at: now() - 3300 };
  await redis.set(`oauth_access:${user}:google`, JSON.stringify(json), 'EX', 300);
  await redis.set(`oauth_refresh:${user}:google`, secret(user, 'refresh'), 'EX', 20 * DAY);
  await redis.set(`oauth_refresh:${user}:github`, secret(user, 'github'));
};

/** One of each form: the hash of the documents and the JSON string that is really written. */
const giveVerifications = async (redis: Redis, user: string): Promise<string[]> => {
  const hash = `verification:${user}:password_reset:${secret(user, 'reset')}`;
  const json = `verification_token:${secret(user, 'phone')}`;
  const fields = { user_id: user, token_type: 'verification', verification_type: 'password_reset' };
  await redis.hset(hash, { ...fields, created_at: String(now() - 60) });
  await redis.expire(hash, 3000);
  const value = { user_id: Number(user), token_type: 'phone_change', created_at: now() - 60 };
  await redis.set(json, JSON.stringify(value), 'EX', 500);
  return [hash, json];
};

const exists = async (redis: Redis, keys: string[]): Promise<number[]> =>
  Promise.all(keys.map((key) => redis.exists(key)));

const rowsOf = (page: Page): Locator => page.locator('tr[data-index]');

const expectProof = async (page: Page, title: string, figures: Record<string, number>): Promise<void> => {
  const proof = page.getByRole('status').filter({ hasText: title });
  await expect(proof).toBeVisible();
  for (const [name, value] of Object.entries(figures))
    await expect(proof.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(String(value));
};

test('support lists tokens by provider, and goes to their person and back', async ({
  signInAs,
  appRedis,
}) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  await page.goto('/demo/overview');
  await page.getByRole('link', { name: 'Tokens' }).click();
  await expect(page).toHaveURL('/demo/tokens');
  await expect(page.getByRole('tab', { name: /^OAuth \d+/ })).toHaveAttribute('aria-selected', 'true');
  await expect(rowsOf(page).nth(3)).toBeVisible();

  await page.getByRole('searchbox', { name: 'User id' }).fill(user);
  await expect(rowsOf(page)).toHaveCount(3);
  await expect(page.getByRole('row', { name: /Google.*access.*JSON.*min.*soon/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Google.*refresh.*bare token.*19 d/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /GitHub.*refresh.*no TTL/ })).toBeVisible();

  await page.getByRole('checkbox', { name: /^Google \d+/ }).press('Space');
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(page).toHaveURL(`/demo/tokens?user=${user}&provider=google`);
  await page.getByRole('combobox', { name: 'Expires within' }).click();
  await page.getByRole('option', { name: 'Expires within 15 min' }).click();
  await page.reload();
  await expect(rowsOf(page)).toHaveCount(1);
  await expect(rowsOf(page)).toContainText('access');

  await page.getByRole('link', { name: 'See this person’s sessions and everything else' }).click();
  await expect(page).toHaveURL(`/demo/sessions?user=${user}`);
  await expect(page.getByRole('row', { name: /GitHub.*refresh.*no TTL/ })).toBeVisible();
  await page.getByRole('link', { name: 'Tokens of this person' }).click();
  await expect(page).toHaveURL(`/demo/tokens?user=${user}`);
  await expect(rowsOf(page)).toHaveCount(3);
});

test('support revokes a selected token with a reason: proof, Redis, the log and the person’s page say so', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  const everything = listen(page);
  await page.goto(`/demo/tokens?user=${user}`);
  await page.getByRole('checkbox', { name: `Select the Google refresh token of #${user}` }).click();
  await page.getByRole('button', { name: 'Revoke 1 OAuth token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Revoke 1 OAuth token' });
  await expect(drawer).toContainText(`Google refresh token of #${user}`);
  await expect(drawer).toContainText('1 is there now.');
  await expect(drawer).toContainText('This cannot be undone');
  await expect(drawer).toContainText('what the provider itself granted');
  await drawer.getByLabel('Reason').fill('Ticket 512: token in a screenshot');
  await drawer.getByRole('button', { name: 'Revoke 1 OAuth token' }).click();

  await expectProof(page, '1 token revoked, none remains', {
    Matched: 1,
    Revoked: 1,
    'Already gone': 0,
    Remaining: 0,
  });
  await expect(rowsOf(page)).toHaveCount(2);
  const keys = [
    `oauth_refresh:${user}:google`,
    `oauth_access:${user}:google`,
    `oauth_refresh:${user}:github`,
  ];
  expect(await exists(appRedis, keys)).toEqual([0, 1, 1]);

  const { items, text } = await auditOf(page, state, { target: `user ${user}` });
  expect(items).toMatchObject([
    {
      ...{ role: 'support', action: 'tokens.oauth.revoke', target: `user ${user} (1 OAuth tokens)` },
      ...{ reason: 'Ticket 512: token in a screenshot', outcome: 'succeeded' },
      after: { matched: 1, revoked: 1, alreadyGone: 0, remaining: 0 },
    },
  ]);
  await page.goto(`/demo/sessions?user=${user}`);
  const line = page.getByRole('row', { name: /Ticket 512: token in a screenshot/ });
  await expect(line).toContainText('Revoke OAuth tokens');
  await expect(line).toContainText('1 of 1 revoked, 0 remain');
  const told = (await everything()) + text;
  for (const name of ['access', 'refresh', 'github']) expect(told).not.toContain(secret(user, name));
});

test('support revokes all that match a filter, counted first; without a filter there is no such thing', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  await page.goto('/demo/tokens');
  const revokeAll = page.getByRole('button', { name: 'Revoke all that match…' });
  await expect(revokeAll).toHaveAttribute('aria-disabled', 'true');
  await page.goto(`/demo/tokens?user=${user}&kind=refresh`);
  await expect(rowsOf(page)).toHaveCount(2);
  await revokeAll.click();
  const drawer = page.getByRole('dialog', { name: 'Revoke all OAuth tokens that match' });
  await expect(drawer).toContainText(`#${user}`);
  await expect(drawer).toContainText('2 are there now.');
  // Somebody else revokes one of them meanwhile: the proof counts what it met.
  await appRedis.del(`oauth_refresh:${user}:github`);
  await drawer.getByLabel('Reason').fill('Ticket 513');
  await drawer.getByRole('button', { name: 'Revoke 2 OAuth tokens' }).click();
  await expectProof(page, '1 token revoked, none remains', { Matched: 1, Revoked: 1, Remaining: 0 });
  await expect(page.getByText('No OAuth tokens')).toBeVisible();
  const left = [`oauth_refresh:${user}:google`, `oauth_access:${user}:google`];
  expect(await exists(appRedis, left)).toEqual([0, 1]);
  const { items } = await auditOf(page, state, { target: `user ${user}` });
  expect(items).toMatchObject([
    { target: `user ${user} (OAuth tokens, kind=refresh)`, reason: 'Ticket 513', outcome: 'succeeded' },
  ]);
});

test('verification tokens of both forms are listed by type and revoked', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = uniqueId();
  const [hash, json] = (await giveVerifications(appRedis, user)) as [string, string];
  const page = await signInAs('support');
  const everything = listen(page);
  await page.goto(`/demo/tokens?tab=verification&user=${user}`);
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(page.getByRole('row', { name: /password reset.*hash/ })).toBeVisible();
  await page.getByRole('row', { name: /change of phone.*JSON.*soon/ }).click();
  const details = page.getByRole('dialog', { name: `change of phone of #${user}` });
  await expect(details).toContainText('The value is never shown');
  await details.getByRole('button', { name: 'Revoke this token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Revoke 1 verification token' });
  await expect(drawer).toContainText('The links and codes that were sent stop working');
  await drawer.getByRole('button', { name: 'Revoke 1 verification token' }).click();
  await expectProof(page, '1 token revoked, none remains', { Matched: 1, Revoked: 1, Remaining: 0 });
  expect(await exists(appRedis, [hash, json])).toEqual([1, 0]);

  await page.getByRole('checkbox', { name: /^password reset \d+/ }).press('Space');
  await expect(page).toHaveURL(/type=password_reset/);
  await page.getByRole('button', { name: 'Revoke all that match…' }).click();
  await expect(page.getByRole('dialog')).toContainText('1 is there now.');
  await page.getByRole('button', { name: 'Revoke 1 verification token' }).click();
  await expect(page.getByText('No verification tokens')).toBeVisible();
  expect(await exists(appRedis, [hash, json])).toEqual([0, 0]);
  const { items, text } = await auditOf(page, state, { target: 'verification tokens' });
  expect(items.length).toBeGreaterThanOrEqual(2);
  const told = (await everything()) + text;
  for (const name of ['reset', 'phone']) expect(told).not.toContain(secret(user, name));
});

test('a flow in progress is ended', async ({ signInAs, appRedis }) => {
  const key = `oauth_state:${secret(uniqueId(), 'state')}`;
  const provider = `e2e-flow-${uniqueId()}`;
  await appRedis.hset(key, { provider, created_at: String(now()), csrf_token: 'x'.repeat(32) });
  await appRedis.expire(key, 280);
  const page = await signInAs('support');
  await page.goto(`/demo/tokens?tab=states&provider=${provider}&within=300`);
  await expect(rowsOf(page)).toHaveCount(1);
  await rowsOf(page).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'End 1 flow' }).click();
  const drawer = page.getByRole('dialog', { name: 'End 1 flow' });
  await expect(drawer).toContainText('has to begin again');
  await drawer.getByRole('button', { name: 'End 1 flow' }).click();
  await expectProof(page, '1 token revoked, none remains', { Revoked: 1, Remaining: 0 });
  expect(await appRedis.exists(key)).toBe(0);
});

test('what takes long goes on as a job, watched on the page', async ({ signInAs, appRedis, state }) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  const started = await page.request.post('/api/v1/connections/demo/sessions/repair', {
    headers: { origin: state.baseUrl },
    data: { kinds: ['ghost'], dryRun: true },
  });
  const job = (await started.json()) as { jobId: string };
  // A keyspace that takes longer than two seconds would take long to write: the answer is what it would be.
  await page.route('**/tokens/oauth/revoke', (route) =>
    route.request().postDataJSON().dryRun ? route.continue() : route.fulfill({ status: 202, json: job }),
  );
  await page.goto(`/demo/tokens?user=${user}`);
  await page.getByRole('button', { name: 'Revoke all that match…' }).click();
  await page.getByRole('button', { name: 'Revoke 3 OAuth tokens' }).click();
  await expect(page).toHaveURL(new RegExp(`job=${job.jobId}`));
  await expect(page.getByRole('dialog', { name: 'Job' })).toContainText(job.jobId);
  await page.reload();
  await expect(page.getByRole('dialog', { name: 'Job' })).toContainText('Done');
});

test('production asks for its name to be typed', async ({ signInAs, state }) => {
  const redis = new Redis(state.liveRedisUrl);
  const user = uniqueId();
  await giveOauth(redis, user);
  const page = await signInAs('support');
  await page.goto(`/live/tokens?user=${user}&kind=access`);
  await rowsOf(page).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Revoke 1 OAuth token' }).click();
  const drawer = page.getByRole('dialog');
  const revoke = drawer.getByRole('button', { name: 'Revoke 1 OAuth token' });
  await expect(drawer).toContainText('1 is there now.');
  await expect(revoke).toBeDisabled();
  await drawer.getByLabel(/Production: type live/).fill('live');
  await revoke.click();
  await expectProof(page, '1 token revoked, none remains', { Revoked: 1 });
  expect(await redis.exists(`oauth_access:${user}:google`)).toBe(0);
  redis.disconnect();
});

test('the page is used without a mouse, and says where names are searched', async ({
  signInAs,
  appRedis,
}) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  await page.goto(`/demo/tokens?user=${user}`);
  await expect(rowsOf(page)).toHaveCount(3);
  await page.keyboard.press('j');
  await expect(rowsOf(page).first()).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByText('1 selected')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('The value is never shown');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'User id' })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('li[we*');
  await expect(page.getByText('A user id is a number')).toBeVisible();
  await expect(rowsOf(page)).toHaveCount(0);
  const find = page.getByRole('link', { name: 'Find the person by name among the sessions' });
  await expect(find).toHaveAttribute('href', '/demo/sessions?name=li%5Bwe*');
});

test('a person’s page says whether it is all, and looks through the whole keyspace when asked', async ({
  signInAs,
  appRedis,
}) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  await giveVerifications(appRedis, user);
  const page = await signInAs('support');
  // In a small keyspace every answer is complete: this one is made to be of a large one.
  await page.route(`**/sessions/users/${user}?*`, async (route) => {
    const answer = await route.fetch();
    const person = (await answer.json()) as object;
    const complete = route.request().url().includes('complete=true');
    await route.fulfill({
      response: answer,
      json: complete ? person : { ...person, scanned: false, complete: false, verifications: [] },
    });
  });
  await page.goto(`/demo/sessions?user=${user}`);
  await expect(page.getByText('This may not be everything')).toBeVisible();
  await expect(page.getByText('only looking through the whole keyspace finds them')).toBeVisible();
  await page.getByRole('button', { name: 'Look through the whole keyspace' }).click();
  await expect(page).toHaveURL(/complete=true/);
  await expect(
    page.getByText('Complete: from the index, and by a scan of the whole keyspace.'),
  ).toBeVisible();
  await expect(page.getByRole('row', { name: /password reset.*hash/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /change of phone.*JSON/ })).toBeVisible();
});

test('a person’s page shows the index’s faults, legacy keys and cache entries, and says when it is cut', async ({
  signInAs,
  appRedis,
}) => {
  const user = uniqueId();
  const stale = Array.from({ length: 1100 }, (_, i) => `aaaaaaaa.bbbbbbbb.cccccccc${i}`);
  await appRedis.sadd(`user_sessions:${user}`, ...stale);
  await appRedis.set(`${user}-e2eperson-${'d'.repeat(40)}`, '1');
  await appRedis.set(`author:id:${user}`, '{}');
  const page = await signInAs('support');
  await page.goto(`/demo/sessions?user=${user}`);
  await expect(page.getByText('There is more than is shown')).toBeVisible();
  await expect(page.getByText('the index has 1,100 entries')).toBeVisible();
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(page.getByText('There is more than is shown')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'What the index gets wrong' })).toBeVisible();
  await expect(page.getByRole('row', { name: /e2eperson.*does not expire|e2eperson.*never/ })).toBeVisible();
  await page.getByRole('button', { name: /^Revoke the legacy session/ }).click();
  const drawer = page.getByRole('dialog', { name: /^Revoke 1 session/ });
  await expect(drawer.getByTestId('revoke-count')).toContainText('1 session is there now');
  await drawer.getByLabel(/reason/i).fill('Ticket 7');
  await drawer.getByRole('button', { name: 'Revoke 1 session' }).click();
  await expect(page.getByText('1 session revoked, none remains')).toBeVisible();
  expect(await appRedis.exists(`${user}-e2eperson-${'d'.repeat(40)}`)).toBe(0);
  await expect(page.getByText(`author:id:${user}`)).toBeVisible();
  await page.getByRole('link', { name: 'Cache family: Authors' }).first().click();
  await expect(page).toHaveURL('/demo/caches?family=discours.author-id');
  await appRedis.del(`user_sessions:${user}`);
});

for (const role of ['viewer', 'product'] as const) {
  test(`${role} sees no token, by page or by HTTP`, async ({ signInAs, appRedis, state }) => {
    const user = uniqueId();
    await giveOauth(appRedis, user);
    const page = await signInAs(role);
    await page.goto(`/demo/tokens?user=${user}`);
    await expect(page.getByText('Your role does not see this page')).toBeVisible();
    await expect(page.getByText(user)).toHaveCount(0);
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Tokens' })).toHaveCount(0);
    for (const kind of ['oauth', 'verification', 'oauth-states']) {
      await expectStatus(await page.request.get(`${API}/${kind}`), 403);
      const revoked = await page.request.post(`${API}/${kind}/revoke`, {
        headers: { origin: state.baseUrl },
        data: { filter: { expiringWithinSeconds: 3600 } },
      });
      await expectStatus(revoked, 403);
    }
    expect(await appRedis.exists(`oauth_access:${user}:google`)).toBe(1);
  });
}

test('a Redis that does not answer is told, with what to do', async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/gone/tokens');
  await expect(page.getByRole('alert').filter({ hasText: 'Redis cannot be reached' })).toBeVisible();
});
