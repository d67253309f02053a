import { type BrowserContext, expect, type Page, test as plain } from '@playwright/test';
import { Redis } from 'ioredis';
import { Secret, TOTP } from 'otpauth';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { expectAccessible } from './axe';
import { ADMIN, WITH_ADMIN } from './own-console';

/** A console that is opened by a host name, because passkeys need one. */
const test = plain.extend<object, { own: PrivateConsole }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const port = String(await (await import('../scripts/redis-server.mjs')).freePort());
      const named = { PORT: port, NEXTAUTH_URL: `http://localhost:${port}` };
      const own = await privateConsole({ ...WITH_ADMIN, ...named, KEYWARD_SECOND_FACTOR_ROLES: 'admin' });
      await use(own);
      await own.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

const codeOf = (secret: string, inMs = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + inMs });

const enterPassword = async (page: Page, baseUrl: string): Promise<void> => {
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

const giveCode = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** Chromium's virtual security key, which confirms everything. */
const withSecurityKey = async (context: BrowserContext, page: Page): Promise<void> => {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true },
  });
};

test('an admin sets up a second factor, signs in with each kind, and gives it again before a change', async ({
  own,
  browser,
}) => {
  const baseUrl = own.baseUrl.replace('127.0.0.1', 'localhost');
  const context = await browser.newContext();
  const page = await context.newPage();
  await withSecurityKey(context, page);
  await enterPassword(page, baseUrl);
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  await expectAccessible(page, 'set-up of a second factor', ['light', 'dark', 'phone']);
  const secret = (await page.locator('code').textContent())!;
  await giveCode(page, codeOf(secret, -30_000));

  await page.waitForURL(/\/account$/);
  await expect(page.getByText('You have no recovery codes.')).toBeVisible();
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  const codes = (await page.getByTestId('recovery-codes').textContent())!.split('\n');
  expect(codes).toHaveLength(10);
  await expectAccessible(page, 'recovery codes', ['light', 'dark', 'phone']);
  await page.getByRole('button', { name: 'I stored the codes' }).click();
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible();

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill('Work laptop');
  await drawer.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(drawer).toHaveCount(0);
  await expect(page.getByText('Work laptop')).toBeVisible();

  await context.clearCookies();
  await enterPassword(page, baseUrl);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(/\/main\/overview/);

  await context.clearCookies();
  await enterPassword(page, baseUrl);
  await giveCode(page, '000000');
  await expect(page.getByText('This code is wrong, or was used before.')).toBeVisible();
  await expectAccessible(page, 'second factor at sign-in', ['light', 'dark', 'phone']);
  await giveCode(page, codes[0]!);
  await page.waitForURL(/\/main\/overview/);

  // As after ten minutes.
  const store = new Redis(own.store.url);
  for await (const keys of store.scanStream({ match: 'keyward:step-up:*' }))
    if (keys.length > 0) await store.del(...(keys as string[]));
  store.disconnect();
  await page.goto(`${baseUrl}/users`);
  await page.getByRole('button', { name: 'Create user' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Ben');
  await form.getByRole('textbox', { name: 'E-mail' }).fill('ben@example.org');
  await form.getByRole('button', { name: 'Invite user' }).click();
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await expectAccessible(page, 'second factor again', ['light', 'dark', 'phone']);
  await question.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await question.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('/invitation#')).toBeVisible();
});
