import english from '../messages/en/access.json';
import russian from '../messages/ru/access.json';
import russianFamilies from '../messages/ru/families.json';
import chinese from '../messages/zh/access.json';
import chineseOverview from '../messages/zh/overview.json';
import chineseWords from '../messages/zh/words.json';
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
  await page.getByLabel(chineseWords.email).fill(user.email);
  await page.getByLabel(chineseWords.password, { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: chinese.signIn.title }).click();
  await expect(page.getByRole('heading', { level: 1, name: chineseOverview.title })).toBeVisible();

  await page.goto('/account');
  const choose = async ({ account }: Pick<typeof english, 'account'>, name: string) => {
    // A click before hydration is lost.
    await page.waitForSelector('main[data-hydrated]');
    await page.getByRole('combobox', { name: account.preferences.language }).click();
    await page.getByRole('option', { name }).click();
  };
  await choose(chinese, 'Русский');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  await expect(page.getByRole('heading', { name: russian.account.preferences.title })).toBeVisible();
  await expect(page).toHaveTitle(/[а-я]/);
  // Another visit, in the same browser: what the user chose counts for more than what the browser prefers.
  await page.goto('/demo/families');
  await expect(page.getByRole('heading', { level: 1, name: russianFamilies.title })).toBeVisible();
  await expect(page.locator('[data-row]').first()).toBeVisible();

  await page.goto('/account');
  await choose(russian, 'English');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.getByRole('heading', { name: english.account.preferences.title })).toBeVisible();
  await context.close();
});
