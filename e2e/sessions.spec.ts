import { DAY, writeSession } from './app-session';
import { expect, test } from './fixtures';
import { auditOf, recordPage } from './page-record';
import { countPresses } from './presses';
import { uniqueId } from './unique';

test('support finds a user, revokes one session with a reason, and finds it in the audit log', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = { id: uniqueId(), name: 'e2e-lost-phone' };
  const phone = await writeSession(appRedis, user, { device: 'Phone in a taxi' });
  const kept = await writeSession(appRedis, user, { device: 'Desk at home' });
  await appRedis.set(`oauth_refresh:${user.id}:google`, `refresh-token-of-${user.id}`, 'EX', 18 * DAY);
  const page = await signInAs('support');
  const everything = recordPage(page);

  await page.goto('/demo/sessions');
  const presses = await countPresses(page);
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

  await expect(page.getByText(`1 session revoked; ${user.name} has 1 left`)).toBeVisible();
  expect(await presses()).toBeLessThanOrEqual(3);
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
  expect([account.name, account.email].some((name) => items[0]?.actor.includes(name))).toBe(true);
  const exposed = (await everything()) + text;
  for (const token of [phone, kept]) {
    const [, payload, signature] = token.split('.');
    expect(exposed).not.toContain(signature);
    expect(exposed).not.toContain(payload);
  }
  expect(exposed).not.toContain(`refresh-token-of-${user.id}`);
});

test('support finds a user by name, revokes all sessions with a reason, and sees the proof', {
  tag: '@long',
}, async ({ signInAs, appRedis, state }) => {
  const user = { id: uniqueId(), name: `e2e-by-name-${uniqueId()}` };
  await writeSession(appRedis, user);
  await writeSession(appRedis, user, { indexed: false });
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
  await page.getByRole('button', { name: 'Revoke all sessions of this user' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Reason').fill('Ticket 4414: stolen laptop');
  await drawer.getByRole('button', { name: 'Revoke 2 sessions' }).click();
  const proof = page.getByRole('status').filter({ hasText: '2 sessions revoked, none remains' });
  for (const [name, value] of Object.entries({ Matched: 2, Revoked: 2 }))
    await expect(proof.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(String(value));
  await expect(proof).toContainText(`${user.name}’s GitHub refresh token (17 d`);
  await expect(proof).toContainText('the signature of 2 revoked tokens (29 d');
  expect(await appRedis.exists(`user_sessions:${user.id}`)).toBe(0);
  const { items } = await auditOf(page, state, { target: `user ${user.id}`, action: 'sessions.revoke' });
  expect(items).toMatchObject([{ reason: 'Ticket 4414: stolen laptop', outcome: 'succeeded' }]);
});
