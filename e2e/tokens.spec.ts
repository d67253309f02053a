import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expect, test } from './fixtures';
import { auditOf, recordPage } from './page-record';
import { uniqueId } from './unique';

const DAY = 86_400;

const now = (): number => Math.floor(Date.now() / 1000);

/** A token as stored in Redis: its value, or the secret part of its key's name. */
const secret = (user: string, name: string): string => `e2e-secret-${name}-of-${user}-0123456789abcdef`;

/** Google: access (JSON, nearly over) and refresh (bare). GitHub: refresh without TTL. */
const giveOauth = async (redis: Redis, user: string): Promise<void> => {
  const json = { token: secret(user, 'access'), provider: 'google', created_at: now() - 3300 };
  await redis.set(`oauth_access:${user}:google`, JSON.stringify(json), 'EX', 300);
  await redis.set(`oauth_refresh:${user}:google`, secret(user, 'refresh'), 'EX', 20 * DAY);
  await redis.set(`oauth_refresh:${user}:github`, secret(user, 'github'));
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

test('support revokes a selected token with a reason: proof, Redis, the log and the user’s page say so', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const user = uniqueId();
  await giveOauth(appRedis, user);
  const page = await signInAs('support');
  const everything = recordPage(page);
  await page.goto(`/demo/tokens?user=${user}`);
  await page.getByRole('checkbox', { name: `Select the Google refresh token of #${user}` }).click();
  await page.getByRole('button', { name: 'Revoke 1 OAuth token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Revoke 1 OAuth token' });
  await expect(drawer).toContainText(`Google refresh token of #${user}`);
  await expect(drawer).toContainText('1 token matches now.');
  await expect(drawer).toContainText('This cannot be undone');
  await expect(drawer).toContainText('the provider’s own grant');
  await drawer.getByLabel('Reason').fill('Ticket 512: token in a screenshot');
  await drawer.getByRole('button', { name: 'Revoke 1 OAuth token' }).click();

  await expectProof(page, '1 token revoked: it no longer exists', {
    Matched: 1,
    Revoked: 1,
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
      role: 'support',
      action: 'tokens.oauth.revoke',
      target: `user ${user} (1 OAuth tokens)`,
      reason: 'Ticket 512: token in a screenshot',
      outcome: 'succeeded',
      after: { matched: 1, revoked: 1, alreadyGone: 0, remaining: 0 },
    },
  ]);
  await page.goto(`/demo/sessions?user=${user}`);
  const line = page.getByRole('row', { name: /Ticket 512: token in a screenshot/ });
  await expect(line).toContainText('Revoke OAuth tokens');
  await expect(line).toContainText('1 of 1 revoked, 0 remain');
  const seen = (await everything()) + text;
  for (const name of ['access', 'refresh', 'github']) expect(seen).not.toContain(secret(user, name));
});
