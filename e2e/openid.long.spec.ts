import { expect, type Page, test as plain } from '@playwright/test';
import { type Account, CLIENT, startProvider } from '../scripts/testing/openid-provider';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { expectAccessible } from './axe';
import { api } from './own-console';

interface Company {
  own: PrivateConsole;
  accounts: Map<string, Account>;
}

/** A console, and the OpenID provider of its company. */
const test = plain.extend<object, { company: Company }>({
  company: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const accounts = new Map<string, Account>();
      const port = await (await import('../scripts/redis-server.mjs')).freePort();
      const provider = await startProvider(`http://127.0.0.1:${port}/api/auth/callback/oidc`, accounts);
      const own = await privateConsole({
        PORT: String(port),
        KEYWARD_OIDC_ISSUER: provider.issuer,
        KEYWARD_OIDC_CLIENT_ID: CLIENT.id,
        KEYWARD_OIDC_CLIENT_SECRET: CLIENT.secret,
        KEYWARD_OIDC_NAME: 'Example',
        KEYWARD_OIDC_ROLES: 'keyward-admins=admin, helpdesk=support',
      });
      await use({ own, accounts });
      await own.close();
      await provider.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

const signIn = async (page: Page, { baseUrl }: PrivateConsole, name: string): Promise<void> => {
  await page.goto(`${baseUrl}/main/sessions`);
  await page.getByRole('button', { name: 'Continue with Example' }).click();
  // The provider's own pages: who it is, and that the console may know it.
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
