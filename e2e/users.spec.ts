import type { APIRequestContext, Page } from '@playwright/test';
import { signIn } from '../scripts/testing/sign-in';
import { expectStatus } from './expect-status';
import { expect, type State, test } from './fixtures';
import { uniqueId } from './unique';

const PASSWORD = 'e2e-password-1';

/** Whether these credentials sign in. The session stays in `api`. */
const signsIn = async (api: APIRequestContext, { baseUrl }: State, email: string, password: string) => {
  await signIn(api, baseUrl, { email, password }).catch(() => undefined);
  return (await api.get(`${baseUrl}/api/v1/account`)).ok();
};

const createUser = async (page: Page, name: string, email: string, role: string) => {
  await page.goto('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill(name);
  await drawer.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await drawer.getByRole('radio', { name: role }).check();
  await drawer.getByRole('radio', { name: 'Enter a password' }).check();
  await drawer.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await drawer.getByRole('button', { name: 'Create user' }).click();
};

const change = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Change ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

test('an admin creates a user who signs in, is disabled, and is out', async ({
  signInAs,
  playwright,
  state,
}) => {
  const [name, email] = [`Nina ${uniqueId()}`, `${uniqueId()}@keyward.example`];
  const page = await signInAs('admin');
  await createUser(page, name, email, 'Support');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('Support');
  await expect(row).toContainText('Active');

  const theirs = await playwright.request.newContext();
  expect(await signsIn(theirs, state, email, PASSWORD)).toBe(true);

  await change(page, name, 'Change role…');
  await page.getByRole('dialog').getByRole('radio', { name: 'Viewer' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await expect(row).toContainText('Viewer');
  await expect
    .poll(async () => (await theirs.get(`${state.baseUrl}/api/v1/connections/demo/sessions`)).status(), {
      timeout: 70_000,
    })
    .toBe(403);

  await change(page, name, 'Disable…');
  await page.getByRole('dialog').getByLabel('Reason').fill('e2e: left the team');
  await page.getByRole('dialog').getByRole('button', { name: 'Disable user' }).click();
  await expect(row).toContainText('Disabled');
  await expect
    .poll(async () => (await theirs.get(`${state.baseUrl}/api/v1/account`)).status(), { timeout: 70_000 })
    .toBe(401);
  const again = await playwright.request.newContext();
  expect(await signsIn(again, state, email, PASSWORD)).toBe(false);

  await change(page, name, 'Enable…');
  await page.getByRole('dialog').getByRole('button', { name: 'Enable user' }).click();
  await expect(row).toContainText('Active');
  await change(page, name, 'Reset password…');
  await page.getByRole('dialog').getByRole('radio', { name: 'Enter a password' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
  const made = await page.getByRole('dialog').getByLabel('Password', { exact: true }).inputValue();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await signsIn(again, state, email, made)).toBe(true);
  await change(page, name, 'Sign out everywhere…');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect
    .poll(async () => (await again.get(`${state.baseUrl}/api/v1/account`)).status(), { timeout: 70_000 })
    .toBe(401);
  await theirs.dispose();
  await again.dispose();
});

test('signing out ends the session on the server: a copied cookie is nobody', { tag: '@long' }, async ({
  signInAs,
  browser,
  playwright,
  state,
}) => {
  const [name, email] = [`Otto ${uniqueId()}`, `${uniqueId()}@keyward.example`];
  const admin = await signInAs('admin');
  await createUser(admin, name, email, 'Viewer');
  await expect(admin.getByRole('row', { name: new RegExp(name) })).toContainText('Active');

  const own = await browser.newContext({ baseURL: state.baseUrl });
  const page = await own.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const menu = page.getByRole('button', { name: `You are ${name}` });
  await expect(menu).toBeVisible();
  // A click before hydration is lost.
  await expect(page.getByText(/ops\/s/)).toBeVisible();
  const copy = await playwright.request.newContext({ storageState: await own.storageState() });
  await expectStatus(await copy.get(`${state.baseUrl}/api/v1/account`), 200);
  await menu.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await expectStatus(await copy.get(`${state.baseUrl}/api/v1/account`), 401);
  await copy.dispose();
  await own.close();
});

test('an API token is shown once, works, and is revoked', async ({ signInAs, playwright, state }) => {
  const page = await signInAs('admin');
  const name = `nightly ${uniqueId()}`;
  await page.goto('/users?tab=tokens');
  await page.getByRole('button', { name: 'Create API token' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill(name);
  await drawer.getByRole('radio', { name: 'Viewer' }).check();
  await drawer.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByTestId('api-token');
  await expect(shown).toBeVisible();
  const token = (await shown.textContent())!;
  await page.getByRole('button', { name: 'I stored the token' }).click();
  await expect(shown).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Viewer');
  expect(await page.content()).not.toContain(token);

  const api = await playwright.request.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  await expectStatus(await api.get(`${state.baseUrl}/api/v1/connections`), 200);
  await expectStatus(await api.get(`${state.baseUrl}/api/v1/users`), 403);
  await page.getByRole('button', { name: `Revoke API token ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  await expect(page.getByRole('row', { name: new RegExp(name) })).toHaveCount(0);
  await expect
    .poll(async () => (await api.get(`${state.baseUrl}/api/v1/connections`)).status(), { timeout: 70_000 })
    .toBe(401);
  await api.dispose();
});
