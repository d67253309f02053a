import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { lookAt } from './axe';
import { expect, test } from './fixtures';
import { auditOf, listen } from './told';

const DAY = 86_400;

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

test('support revokes a selected token with a reason: proof, Redis, the log and the person’s page say so', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = '92000002';
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

test('it looks right: the tabs, the drawer, the proof, a person with everything', async ({
  signInAs,
  appRedis,
}) => {
  test.setTimeout(300_000);
  const user = '92000013';
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  for (const tab of ['oauth', 'verification', 'states']) {
    await page.goto(`/demo/tokens?tab=${tab}`);
    await expect(rowsOf(page).first()).toBeVisible();
    await expect(page.getByRole('group', { name: /^By (provider|type)/ })).toBeVisible();
    await lookAt(page, `tokens-${tab}`);
  }
  await page.goto(`/demo/tokens?user=${user}&provider=google`);
  await page.getByRole('button', { name: 'Revoke all that match…' }).click();
  await expect(page.getByRole('dialog')).toContainText('2 are there now.');
  await lookAt(page, 'tokens-revoke');
  await page.getByRole('button', { name: 'Revoke 2 OAuth tokens' }).click();
  await expectProof(page, '2 tokens revoked, none remains', { Revoked: 2 });
  await lookAt(page, 'tokens-proof');
  // The demo's hard case: each kind of token, each damage of a session. The demo's own codes may have expired by now.
  await giveVerifications(appRedis, '5');
  await page.goto('/demo/sessions?user=5');
  await expect(page.getByRole('heading', { name: 'Cached about this author' })).toBeVisible();
  await expect(page.getByRole('row', { name: /change of phone/ }).first()).toBeVisible();
  await lookAt(page, 'person');
});
