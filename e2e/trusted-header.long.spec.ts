import { expect, test as plain } from '@playwright/test';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { expectAccessible } from './axe';
import { api } from './own-console';

/** A console behind an authenticating proxy, which the browser's own headers simulate. */
const test = plain.extend<object, { own: PrivateConsole }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const own = await privateConsole({
        KEYWARD_TRUSTED_PROXIES: '127.0.0.1',
        KEYWARD_HEADER_USER: 'X-Forwarded-Email',
        KEYWARD_HEADER_GROUPS: 'X-Forwarded-Groups',
        KEYWARD_HEADER_ROLES: 'keyward-admins=admin, helpdesk=support',
      });
      await use(own);
      await own.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

const headersOf = (email: string, groups: string) => ({
  extraHTTPHeaders: { 'X-Forwarded-Email': email, 'X-Forwarded-Groups': groups },
});

test('whom the proxy names is in without a sign-in, with the role of their groups', async ({
  own,
  browser,
}) => {
  const context = await browser.newContext(headersOf('ann@example.org', 'staff, helpdesk'));
  const page = await context.newPage();
  await page.goto(`${own.baseUrl}/main/sessions`);
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);
  const names = (await context.cookies()).map(({ name }) => name);
  expect(names.filter((name) => name.includes('session'))).toEqual([]);
  // A change, and a stream.
  await page.goto(`${own.baseUrl}/account`);
  const changed = page.waitForResponse((response) => response.request().method() !== 'GET');
  await page.getByRole('radiogroup', { name: 'Table rows' }).getByText('Compact').click();
  expect((await changed).status()).toBe(200);
  const stream = page.waitForResponse((response) =>
    (response.headers()['content-type'] ?? '').startsWith('text/event-stream'),
  );
  await page.goto(`${own.baseUrl}/main/overview`);
  expect((await stream).status()).toBe(200);
  // The sign-in page redirects them, because they are signed in.
  await page.goto(`${own.baseUrl}/sign-in?callbackUrl=%2Fmain%2Fsessions`);
  await expect(page).toHaveURL(`${own.baseUrl}/main/sessions`);

  await context.setExtraHTTPHeaders(headersOf('bob@example.org', 'keyward-admins').extraHTTPHeaders);
  await page.reload();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
  const { items } = await (await api(own, '/api/v1/users')).json();
  expect(items).toMatchObject([
    { email: 'ann@example.org', role: 'support' },
    { email: 'bob@example.org', role: 'admin' },
  ]);
  await context.close();
});

test('without a role nobody gets in, and the page says so', async ({ own, browser }) => {
  const context = await browser.newContext(headersOf('eve@example.org', 'staff'));
  const page = await context.newPage();
  await page.goto(`${own.baseUrl}/main/sessions`);
  await expect(page.getByText('proxy knows you, but you have no access here')).toBeVisible();
  await expectAccessible(page, 'sign-in behind a proxy', ['light', 'dark', 'phone']);
  await context.close();
});
