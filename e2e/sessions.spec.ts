import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { auditOf, listen } from './told';
import { uniqueId } from './unique';

const DAY = 86_400;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as the application signs them. */
const makeToken = (userId: string): string => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { user_id: userId, sub: userId, iat: now, exp: now + 30 * DAY };
  return [part({ alg: 'HS256', typ: 'JWT' }), part(claims), randomBytes(32).toString('base64url')].join('.');
};

const signIn = async (
  redis: Redis,
  user: { id: string; name: string },
  { indexed = true, device = 'Chrome on the kitchen table' } = {},
): Promise<string> => {
  const token = makeToken(user.id);
  const now = String(Math.floor(Date.now() / 1000));
  await redis.hset(`session:${user.id}:${token}`, {
    user_id: user.id,
    username: user.name,
    token_type: 'session',
    created_at: now,
    last_activity: now,
    device_info: JSON.stringify({ device_name: device, ip: '192.0.2.44' }),
  });
  await redis.expire(`session:${user.id}:${token}`, 30 * DAY);
  if (indexed) await redis.sadd(`user_sessions:${user.id}`, token);
  return token;
};

test('support finds a user, revokes one session with a reason, and it is gone and on record', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = { id: uniqueId(), name: 'e2e-lost-phone' };
  const phone = await signIn(appRedis, user, { device: 'Phone in a taxi' });
  const kept = await signIn(appRedis, user, { device: 'Desk at home' });
  await appRedis.set(`oauth_refresh:${user.id}:google`, `refresh-token-of-${user.id}`, 'EX', 18 * DAY);
  const page = await signInAs('support');
  const everything = listen(page);

  await page.goto('/demo/sessions');
  await page.getByRole('searchbox', { name: 'User id or name' }).fill(user.id);
  await expect(page).toHaveURL(`/demo/sessions?user=${user.id}`);
  await expect(page.getByRole('heading', { name: user.name })).toBeVisible();
  await page
    .getByRole('row', { name: /Phone in a taxi/ })
    .getByRole('checkbox')
    .click();
  await page.getByRole('button', { name: 'Revoke 1 session', exact: true }).click();

  const drawer = page.getByRole('dialog', { name: `Revoke 1 session of ${user.name}` });
  await expect(drawer).toContainText('This cannot be undone');
  await expect(drawer).toContainText('another session of e2e-lost-phone (29 d');
  await expect(drawer).toContainText('e2e-lost-phone’s Google refresh token (17 d');
  await drawer.getByLabel('Reason').fill('Ticket 4411: lost phone');
  await drawer.getByRole('button', { name: 'Revoke 1 session' }).click();

  await expect(page.getByText('1 session revoked, none remains')).toBeVisible();
  await expect(page.getByRole('row', { name: /Phone in a taxi/ })).toHaveCount(0);
  await expect(page.getByRole('row', { name: /Desk at home/ })).toBeVisible();
  expect(await appRedis.exists(`session:${user.id}:${phone}`)).toBe(0);
  expect(await appRedis.smembers(`user_sessions:${user.id}`)).toEqual([kept]);
  expect(await appRedis.exists(`session:${user.id}:${kept}`)).toBe(1);

  const { items, text } = await auditOf(page, state, {
    target: `user ${user.id}`,
    action: 'sessions.revoke',
  });
  const account = state.accounts.find(({ role }) => role === 'support')!;
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    role: 'support',
    action: 'sessions.revoke',
    connection: 'demo',
    target: `user ${user.id} (1 session)`,
    reason: 'Ticket 4411: lost phone',
    outcome: 'succeeded',
  });
  expect([account.name, account.email].some((who) => items[0]?.actor.includes(who))).toBe(true);
  const told = (await everything()) + text;
  for (const token of [phone, kept]) {
    const [, payload, signature] = token.split('.');
    expect(told).not.toContain(signature);
    expect(told).not.toContain(payload);
  }
  expect(told).not.toContain(`refresh-token-of-${user.id}`);
});

test('everything of a person ends: unindexed and legacy sessions, and their OAuth tokens when asked', async ({
  signInAs,
  appRedis,
}) => {
  const user = { id: uniqueId(), name: 'e2e-left-us' };
  const token = await signIn(appRedis, user);
  await signIn(appRedis, user, { indexed: false });
  await appRedis.set(`${user.id}-${user.name.replaceAll('-', '')}-${token}`, '1');
  await appRedis.set(`oauth_access:${user.id}:github`, `access-token-of-${user.id}`, 'EX', 3000);
  const page = await signInAs('support');
  await page.goto(`/demo/sessions?user=${user.id}&complete=true`);
  await expect(
    page.getByText('Complete: from the index, and by a scan of the whole keyspace.'),
  ).toBeVisible();
  await expect(page.getByText('GitHub', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Revoke all sessions of this person' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('e2e-left-us’s GitHub access token');
  await drawer.getByLabel('Also revoke OAuth tokens of this person').check();
  await expect(drawer).not.toContainText('GitHub access token');
  await drawer.getByRole('button', { name: /^Revoke \d sessions$/ }).click();
  await expect(page.getByText(/sessions revoked, none remains/)).toBeVisible();
  const [, left] = await appRedis.scan(0, 'MATCH', `*${user.id}*`, 'COUNT', 1_000_000);
  expect(left).toEqual([]);
  await expect(page.getByText(`No sessions of #${user.id}`)).toBeVisible();
});

test('support finds a person by name, ends everything with a reason, and is shown the proof', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = { id: uniqueId(), name: `e2e-by-name-${uniqueId()}` };
  await signIn(appRedis, user);
  await signIn(appRedis, user, { indexed: false });
  await appRedis.set(`oauth_refresh:${user.id}:github`, `refresh-token-of-${user.id}`, 'EX', 18 * DAY);
  const page = await signInAs('support');
  await page.goto('/demo/sessions');
  await page.getByRole('searchbox', { name: 'User id or name' }).fill(user.name.replace('e2e', 'E2E'));
  await expect(page).toHaveURL(/name=E2E-by-name/);
  await expect(page.getByTestId('search-state')).toContainText('2 matches: complete');
  await page
    .getByRole('link', { name: `${user.name} #${user.id}` })
    .first()
    .click();
  await expect(page).toHaveURL(`/demo/sessions?user=${user.id}`);
  await page.getByRole('button', { name: 'Revoke all sessions of this person' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Reason').fill('Ticket 4414: stolen laptop');
  await drawer.getByRole('button', { name: 'Revoke 2 sessions' }).click();
  const proof = page.getByRole('status').filter({ hasText: '2 sessions revoked, none remains' });
  for (const [name, value] of Object.entries({ Matched: 2, 'Already gone': 0, Remaining: 0 }))
    await expect(proof.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(String(value));
  await expect(proof).toContainText(`${user.name}’s GitHub refresh token (17 d`);
  await expect(proof).toContainText('the signature of 2 ended tokens (29 d');
  expect(await appRedis.exists(`user_sessions:${user.id}`)).toBe(0);
  const { items } = await auditOf(page, state, { target: `user ${user.id}`, action: 'sessions.revoke' });
  expect(items).toMatchObject([{ reason: 'Ticket 4414: stolen laptop', outcome: 'succeeded' }]);
});

test('filters and the order of matches live in the address', async ({ signInAs, appRedis }) => {
  const hours = (count: number) => Math.floor(Date.now() / 1000) - count * 3600;
  const name = `e2e-filters-${uniqueId()}`;
  for (const [device, idle] of [
    ['Alpha phone', 1],
    ['Beta phone', 30],
    ['Gamma phone', 50],
  ] as const) {
    const user = { id: uniqueId(), name };
    const token = await signIn(appRedis, user, { device });
    await appRedis.hset(`session:${user.id}:${token}`, 'last_activity', String(hours(idle)));
  }
  const page = await signInAs('support');
  const devices = page.locator('tr[data-index]').getByText(/(Alpha|Beta|Gamma) phone/);
  await page.goto(`/demo/sessions?name=${name}`);
  await expect(devices).toHaveText(['Alpha phone', 'Beta phone', 'Gamma phone']);
  await page.getByRole('button', { name: 'Last activity' }).click();
  await expect(page).toHaveURL(/order=asc/);
  await expect(devices).toHaveText(['Gamma phone', 'Beta phone', 'Alpha phone']);
  await expect(page.getByRole('columnheader', { name: 'Last activity' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  await page.getByRole('combobox', { name: 'Idle time' }).click();
  await page.getByRole('option', { name: 'Idle > 1 d' }).click();
  await expect(devices).toHaveText(['Gamma phone', 'Beta phone']);
  await page.getByRole('combobox', { name: 'Device' }).fill('BETA');
  await expect(devices).toHaveText(['Beta phone']);
  await page.getByRole('combobox', { name: 'Address' }).fill('192.0.2.4');
  await expect(page).toHaveURL(/address=192\.0\.2\.4/);
  await page.reload();
  await expect(devices).toHaveText(['Beta phone']);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/demo/sessions?order=asc');
});

test('production asks for its name to be typed', async ({ signInAs, state }) => {
  const redis = new Redis(state.liveRedisUrl);
  const user = { id: uniqueId(), name: 'e2e-production' };
  const token = await signIn(redis, user);
  const page = await signInAs('support');
  await page.goto(`/live/sessions?user=${user.id}`);
  await page
    .getByRole('row', { name: /e2e-production/ })
    .getByRole('checkbox')
    .click();
  await page.getByRole('button', { name: 'Revoke 1 session', exact: true }).click();
  const drawer = page.getByRole('dialog');
  const revoke = drawer.getByRole('button', { name: 'Revoke 1 session' });
  await expect(drawer).toContainText('1 session is there now.');
  await expect(revoke).toBeDisabled();
  await drawer.getByLabel(/Production: type live/).fill('live');
  await revoke.click();
  await expect(page.getByText('1 session revoked, none remains')).toBeVisible();
  expect(await redis.exists(`session:${user.id}:${token}`)).toBe(0);
  redis.disconnect();
});

test('names are searched, hostile ones are text, and the address shows the same to a colleague', async ({
  signInAs,
  appRedis,
}) => {
  const user = { id: uniqueId(), name: `<img src=x onerror=alert(1)>e2e-${uniqueId()}` };
  await signIn(appRedis, user, { device: '<b>Bold</b>\u202egnp' });
  const page = await signInAs('support');
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto('/demo/sessions');
  await page
    .getByRole('searchbox', { name: 'User id or name' })
    .fill(user.name.slice(11).replace('onerror', 'ONERROR'));
  const row = page.getByRole('row', { name: /onerror=alert/ });
  await expect(row).toContainText(user.name);
  await expect(row).toContainText('<b>Bold</b>');
  await page.reload();
  await expect(row).toHaveCount(1);
  await row.getByRole('button', { name: /^Details of/ }).click();
  await expect(page.getByRole('dialog')).toContainText('192.0.2.44');
  expect(await page.locator('img[src="x"], td b').count()).toBe(0);
  expect(dialogs).toEqual([]);
});

test('the table is used without a mouse', async ({ signInAs, appRedis }) => {
  const user = { id: uniqueId(), name: 'e2e-keyboard' };
  await signIn(appRedis, user);
  const page = await signInAs('support');
  await page.goto(`/demo/sessions?user=${user.id}`);
  await expect(page.getByRole('row', { name: /e2e-keyboard/ })).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('row', { name: /e2e-keyboard/ })).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByText('1 selected')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /Session of e2e-keyboard/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'User id or name' })).toBeFocused();
});

for (const role of ['viewer', 'product'] as const) {
  test(`${role} sees no session, by page or by HTTP`, async ({ signInAs, appRedis, state }) => {
    const user = { id: uniqueId(), name: `e2e-for-${role}` };
    const token = await signIn(appRedis, user);
    const page = await signInAs(role);
    await page.goto(`/demo/sessions?user=${user.id}`);
    await expect(page.getByRole('main')).toContainText(/not|role/i);
    await expect(page.getByText(user.name)).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Sessions' })).toHaveCount(0);
    const path = '/api/v1/connections/demo/sessions';
    await expectStatus(await page.request.get(path), 403);
    for (const read of [`users/${user.id}`, 'stats', `search?username=${user.name}`])
      await expectStatus(await page.request.get(`${path}/${read}`), 403);
    const repaired = await page.request.post(`${path}/repair`, {
      headers: { origin: state.baseUrl },
      data: { kinds: ['ghost'] },
    });
    await expectStatus(repaired, 403);
    const revoked = await page.request.post(`${path}/revoke`, {
      headers: { origin: state.baseUrl },
      data: { userId: user.id },
    });
    await expectStatus(revoked, 403);
    expect(await appRedis.exists(`session:${user.id}:${token}`)).toBe(1);
  });
}

test('a Redis that does not answer is told, with what to do', async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/gone/sessions');
  await expect(page.getByRole('alert').filter({ hasText: 'Redis cannot be reached' })).toBeVisible();
});

test('a pasted token is searched for nowhere', async ({ signInAs, appRedis }) => {
  const page = await signInAs('support');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/demo/sessions');
  const [token] = (await appRedis.srandmember('user_sessions:1', 1)) ?? [];
  const search = page.getByRole('searchbox', { name: 'User id or name' });
  await search.fill(token ?? 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxfQ.c2lnbmF0dXJl');
  await expect(page.getByText('This looks like a token')).toBeVisible();
  await search.press('Enter');
  await search.fill('nobody-of-that-name');
  await expect(page).toHaveURL(/name=nobody-of-that-name/);
  await expect(page.getByText('This looks like a token')).toHaveCount(0);
  expect(asked.filter((url) => url.includes('eyJ'))).toEqual([]);
});
