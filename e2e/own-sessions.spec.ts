import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, test } from './fixtures';
import { auditOf, recordPage } from './page-record';
import { uniqueId } from './unique';

// Sessions of an application that only e2e/catalogs/shop.yaml describes: JSON strings named by their id.

const signIn = async (redis: Redis, user: { id: string; name: string }, device: string): Promise<string> => {
  const id = randomBytes(24).toString('base64url');
  const value = {
    user,
    createdAt: new Date(Date.now() - 60_000).toISOString(),
    seenAt: Date.now(),
    device: { device_name: device, ip: '192.0.2.44' },
    csrf: randomBytes(16).toString('hex'),
  };
  await redis.set(`sess:${id}`, JSON.stringify(value), 'EX', 86_400);
  await redis.sadd(`user_sess:${user.id}`, id);
  return id;
};

test('support finds a customer of an own application, and revokes all sessions with proof', {
  tag: '@long',
}, async ({ signInAs, state }) => {
  const shop = new Redis(state.shopRedisUrl);
  const user = { id: `mila-${uniqueId()}`, name: `e2e-mila-${uniqueId()}` };
  const other = { id: `omar-${uniqueId()}`, name: `e2e-omar-${uniqueId()}` };
  const devices = ['Phone in a taxi', 'Till at the counter', 'Laptop on a train'];
  const ids = await Promise.all(devices.map((device) => signIn(shop, user, device)));
  const kept = await signIn(shop, other, 'Desk at home');
  await shop.hset(`cart:${user.id}`, 'product', '1');
  // An index entry of a session that now belongs to another customer.
  await shop.sadd(`user_sess:${user.id}`, kept);
  const page = await signInAs('support');
  const everything = recordPage(page);

  await page.goto('/shop/sessions');
  await expect(page.getByRole('row', { name: /Phone in a taxi/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Desk at home/ })).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('searchbox', { name: 'User id or name' }).fill(user.name.toUpperCase());
  await expect(page.getByTestId('search-state')).toContainText('3 matches: complete');
  await page
    .getByRole('link', { name: `${user.name} #${user.id}` })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: user.name })).toBeVisible();
  await expect(page.getByRole('row', { name: /Till at the counter/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Desk at home/ })).toHaveCount(0);
  await expect(page.getByText(`cart:${user.id}`)).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });

  await page
    .getByRole('row', { name: /Phone in a taxi/ })
    .getByRole('checkbox')
    .click();
  await page.getByRole('button', { name: 'Revoke 1 session', exact: true }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText(`2 other sessions of ${user.name}`);
  await drawer.getByLabel('Reason').fill('Ticket 5501: lost phone');
  await drawer.getByRole('button', { name: 'Revoke 1 session' }).click();
  await expect(page.getByText(`1 session revoked; ${user.name} has 2 left`)).toBeVisible();
  await expect(page.getByRole('row', { name: /Phone in a taxi/ })).toHaveCount(0);
  expect(await shop.exists(`sess:${ids[0]}`)).toBe(0);

  await page.getByRole('button', { name: 'Revoke all sessions of this user' }).click();
  await drawer.getByLabel('Reason').fill('Ticket 5501: stolen laptop, too');
  await drawer.getByRole('button', { name: 'Revoke 2 sessions' }).click();
  const proof = page.getByRole('status').filter({ hasText: '2 sessions revoked, none remains' });
  for (const [name, value] of Object.entries({ Matched: 2, Revoked: 2 }))
    await expect(proof.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(String(value));
  expect(await shop.exists(...ids.map((id) => `sess:${id}`), `user_sess:${user.id}`)).toBe(0);
  expect(await shop.exists(`sess:${kept}`)).toBe(1);

  const { items, text } = await auditOf(page, state, {
    connection: 'shop',
    target: `user ${user.id}`,
    action: 'sessions.revoke',
  });
  expect(items.map(({ target, outcome }) => [target, outcome])).toEqual([
    [`user ${user.id} (all sessions)`, 'succeeded'],
    [`user ${user.id} (1 session)`, 'succeeded'],
  ]);
  const exposed = (await everything()) + text;
  for (const id of [...ids, kept]) expect(exposed).not.toContain(id);
  shop.disconnect();
});
