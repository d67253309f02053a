import { expect, type Page, test as plain } from '@playwright/test';
import { type Account, CLIENT, startProvider } from '../scripts/testing/openid-provider';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { expectAccessible } from './axe';
import { api } from './own-console';

interface Company {
  own: PrivateConsole;
  issuer: string;
  accounts: Map<string, Account>;
}

/** A console, and the OpenID provider of its company. */
const test = plain.extend<object, { company: Company }>({
  company: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const accounts = new Map<string, Account>();
      const port = await (await import('../scripts/redis-server.mjs')).freePort();
      const auth = `http://127.0.0.1:${port}/api/auth`;
      const provider = await startProvider(`${auth}/callback/oidc`, accounts, {
        refreshTokens: true,
        backchannelLogoutUri: `${auth}/backchannel-logout`,
      });
      const own = await privateConsole({
        PORT: String(port),
        KEYWARD_OIDC_ISSUER: provider.issuer,
        KEYWARD_OIDC_CLIENT_ID: CLIENT.id,
        KEYWARD_OIDC_CLIENT_SECRET: CLIENT.secret,
        KEYWARD_OIDC_NAME: 'Example',
        KEYWARD_OIDC_ROLES: 'keyward-admins=admin, helpdesk=support',
      });
      await use({ own, issuer: provider.issuer, accounts });
      await own.close();
      await provider.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

const signIn = async (page: Page, { baseUrl }: PrivateConsole, name: string): Promise<void> => {
  await page.goto(`${baseUrl}/main/sessions`);
  await page.getByRole('button', { name: 'Continue with Example' }).click();
  // The provider's own pages: sign-in and consent.
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
};

test('support signs in at the company’s provider; another group is another role; without one nobody gets in', async ({
  company: { own, accounts },
  browser,
}) => {
  const ann = { email: 'ann@example.org', email_verified: true, name: 'Ann', groups: ['helpdesk'] };
  accounts.set('ann', ann);
  const visit = async (name: string): Promise<Page> => {
    const page = await (await browser.newContext()).newPage();
    await signIn(page, own, name);
    return page;
  };
  const first = await visit('ann');
  await expect(first.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible();
  await expect(first.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);

  accounts.set('ann', { ...ann, groups: ['keyward-admins'] });
  const second = await visit('ann');
  await expect(second.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
  const { items } = await (await api(own, '/api/v1/users')).json();
  expect(items).toMatchObject([{ email: 'ann@example.org', role: 'admin' }]);

  accounts.set('eve', { email: 'eve@example.org', groups: ['staff'] });
  const refused = await visit('eve');
  await expect(refused.getByText('Example knows you, but you have no access here.')).toBeVisible();
  await expectAccessible(refused, 'sign-in with a provider', ['light', 'dark', 'phone']);
  await refused.screenshot({ path: 'test-results/openid-refused.png' });
});

/** Not the admin of the other story, who must stay one. */
const DORA = { email: 'dora@example.org', email_verified: true, name: 'Dora', groups: ['helpdesk'] };

test('a sign-out at the provider ends the session here, and one here leads to the provider', async ({
  company: { own, issuer, accounts },
  browser,
}) => {
  accounts.set('dora', DORA);
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, own, 'dora');
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible();

  const away = await context.newPage();
  await away.goto(`${issuer}/session/end`);
  await away.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(away.getByText('Sign-out Success')).toBeVisible();
  // Its streams find out by themselves, other pages with their next call.
  await page.reload();
  await expect(page.getByText('Example ended your sign-in.')).toBeVisible();

  await signIn(page, own, 'dora');
  await page.getByRole('button', { name: 'You are Dora' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.goto(`${own.baseUrl}/main/sessions`);
  await expect(page.getByRole('button', { name: 'Continue with Example' })).toBeVisible();
  await expect(page.getByText('ended your sign-in')).toHaveCount(0);
  await context.close();
});
