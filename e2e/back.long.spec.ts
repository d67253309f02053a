import type { Page } from '@playwright/test';
import { messages } from '../messages/en';
import { expect, test } from './fixtures';
import { openOnPhone } from './phone';

const steps = (page: Page): Promise<number> => page.evaluate(() => window.history.length);

test('a shared link opens a drawer, which closes without leaving the page', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/audit');
  await page.locator('tr[data-index="0"]').press('Enter');
  await expect(page).toHaveURL(/entry=/);
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  const drawer = page.getByRole('dialog', { name: messages.words.auditEntry });
  await expect(drawer).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toHaveCount(0);
  await expect(page).toHaveURL(/\/audit$/);
});

test('on a phone Back closes the menu, the filters and a form, and links in the menu lead on', async ({
  signInAs,
}) => {
  const page = await signInAs('admin');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/demo/flags');
  const openMenu = () => page.getByRole('button', { name: messages.shell.openMenu }).click();
  const menu = page.getByRole('dialog', { name: 'Keyward' });
  await openMenu();
  await expect(menu).toBeVisible();
  await page.goBack();
  await expect(menu).toHaveCount(0);
  await expect(page).toHaveURL(/\/demo\/flags$/);
  await openMenu();
  await menu.getByRole('link', { name: 'Audit' }).first().click();
  await expect(page).toHaveURL(/\/audit/);
  await expect(menu).toHaveCount(0);
  // One Back for the page; the step of the menu that was left behind is skipped.
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: messages.flags.title })).toBeVisible();
  const before = await steps(page);
  for (let i = 0; i < 2; i++) {
    await page.getByRole('button', { name: messages.flags.create.verb }).click();
    const form = page.getByRole('dialog', { name: messages.flags.create.verb });
    await expect(form).toBeVisible();
    if (i) await page.goBack();
    else await page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
  }
  await expect(page).toHaveURL(/\/demo\/flags$/);
  expect(await steps(page)).toBeLessThanOrEqual(before + 1);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('on a phone a list scrolls with its page: its actions stay in sight, and Back returns to the place', async ({
  signInAs,
}) => {
  const page = await signInAs('support');
  const rows = await openOnPhone(page, '/demo/sessions');
  const top = () => page.evaluate(() => window.scrollY);
  await rows.first().getByRole('checkbox').check();
  await page.mouse.move(200, 500);
  await page.mouse.wheel(0, 4000);
  await expect.poll(top).toBeGreaterThan(3000);
  await expect(page.getByRole('region', { name: messages.dataTable.selectionActions })).toBeInViewport();
  // Rows near the window are rendered, and those that were scrolled away are not.
  await expect(page.locator('[data-row][data-index="0"]')).toHaveCount(0);
  const index = await rows.nth(6).getAttribute('data-index');
  const user = page.locator(`[data-index="${index}"] a`).first();
  await user.evaluate((link) => link.scrollIntoView({ block: 'center' }));
  await expect(user).toBeInViewport();
  const before = await top();
  await user.click();
  await expect(page).toHaveURL(/user=/);
  await page.goBack();
  await expect(page).toHaveURL(/\/demo\/sessions$/);
  await expect.poll(top).toBe(before);
  await expect(user).toBeInViewport();
  await page.setViewportSize({ width: 1440, height: 900 });
});
