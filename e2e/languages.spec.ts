import { messages as english } from '../messages/en';
import { messages as russian } from '../messages/ru';
import { messages as chinese } from '../messages/zh';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

const PASSWORD = 'e2e-password-1';

test('a browser that prefers Chinese signs a user in, who then chooses Russian and English', async ({
  browser,
  state,
  playwright,
}) => {
  const user = { name: `Lin ${uniqueId()}`, email: `${uniqueId()}@keyward.example`, role: 'viewer' };
  const api = await playwright.request.newContext({
    extraHTTPHeaders: { authorization: `Bearer ${state.apiToken}` },
  });
  const created = await api.post(`${state.baseUrl}/api/v1/users`, {
    data: { ...user, password: PASSWORD, reason: 'e2e: languages' },
  });
  expect(created.status(), await created.text()).toBe(201);
  await api.dispose();

  const context = await browser.newContext({
    baseURL: state.baseUrl,
    locale: 'zh-CN',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh');
  await page.getByLabel(chinese.words.email).fill(user.email);
  await page.getByLabel(chinese.words.password, { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: chinese.access.signIn.title }).click();
  await expect(page.getByRole('heading', { level: 1, name: chinese.overview.title })).toBeVisible();

  await page.goto('/account');
  const choose = async (from: typeof english, name: string) => {
    // Before that a click is lost.
    await page.waitForSelector('main[data-hydrated]');
    await page.getByRole('combobox', { name: from.access.account.preferences.language }).click();
    await page.getByRole('option', { name }).click();
  };
  await choose(chinese as typeof english, 'Русский');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  await expect(page.getByRole('heading', { name: russian.access.account.preferences.title })).toBeVisible();
  await expect(page).toHaveTitle(/[а-я]/);
  // Another visit, in the same browser: what the user chose counts for more than what the browser prefers.
  await page.goto('/demo/families');
  await expect(page.getByRole('heading', { level: 1, name: russian.families.title })).toBeVisible();
  await expect(page.locator('[data-row]').first()).toBeVisible();

  await page.goto('/account');
  await choose(russian as typeof english, 'English');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.getByRole('heading', { name: english.access.account.preferences.title })).toBeVisible();
  await context.close();
});
