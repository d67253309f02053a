import { scanAll } from '../scripts/testing/scan-all';
import { seedSession } from '../scripts/testing/sessions';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

// On connection `aside`, whose keyspace is the test's own: all counts are exact.

test('all matches are counted, revoked as a job, and verified', async ({ signInAs, aside }) => {
  for (let i = 0; i < 620; i++)
    await seedSession(aside, { userId: String(7000 + (i % 31)), username: `bulk-${i % 31}` });
  for (let i = 0; i < 5; i++) await seedSession(aside, { userId: '7900', username: 'kept' });
  await aside.set('oauth_refresh:7003:google', 'refresh-token-of-7003', 'EX', 86_400);
  const page = await signInAs('support');
  await page.goto('/aside/sessions?name=BULK-');
  await expect(page.getByTestId('search-state')).toContainText('620 matches: complete');

  await page.getByRole('button', { name: 'Revoke all matches…' }).click();
  const drawer = page.getByRole('dialog', { name: 'Revoke all matching sessions' });
  await expect(drawer.getByTestId('revoke-count')).toHaveText('620 sessions of 31 users found.');
  await expect(drawer).toContainText('So many are revoked as a background job');
  await expect(drawer).toContainText('1 OAuth refresh token of 1 user');
  await expectAccessible(page, 'sessions-revoke-filter');
  await drawer.getByLabel('Also revoke OAuth tokens of these users').check();
  await expect(drawer).not.toContainText('OAuth refresh token of');
  await drawer.getByLabel(/^I mean all 31 users: bulk-/).check();
  await drawer.getByLabel('Reason').fill('Ticket 4413: a leaked list');
  await drawer.getByRole('button', { name: 'Revoke 620 sessions' }).click();

  const proof = page.getByRole('status').filter({ hasText: '620 sessions revoked, none remains' });
  await expect(proof).toBeVisible({ timeout: 30_000 });
  for (const [name, value] of Object.entries({
    Matched: 620,
    Users: 31,
    'OAuth tokens revoked': 1,
  }))
    await expect(proof.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(String(value));
  // The search was repeated automatically.
  await expect(page.getByTestId('search-state')).toContainText('No match: complete');
  await expect(page.getByText('No matching session', { exact: true })).toBeVisible();
  expect(await scanAll(aside, 'session:7*')).toHaveLength(5);
  expect(await aside.exists('oauth_refresh:7003:google')).toBe(0);
  await expect(page).toHaveURL(/job=/);
  await page.reload();
  await expect(proof).toBeVisible();
  await expectAccessible(page, 'sessions-proof');
  await page.getByRole('button', { name: 'Close the result' }).click();
  await expect(page).not.toHaveURL(/job=/);
});
