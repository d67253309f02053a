import type { Page } from '@playwright/test';
import { messages } from '../messages/en';
import { expect, test } from './fixtures';

const steps = (page: Page): Promise<number> => page.evaluate(() => window.history.length);
/** The history steps of open drawers, which are added a moment after the key was pressed. */
const taken = (page: Page): Promise<number> =>
  page.evaluate(() => window.history.state?.keyward?.drawers ?? 0);
const scroller = (page: Page) => page.locator('[data-table-root] section').first();
const scrolled = (page: Page): Promise<number> => scroller(page).evaluate((element) => element.scrollTop);

test('Back returns from a user to the list as it was left, and Forward to the user', {
  tag: '@long',
}, async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/demo/sessions');
  await expect(page.getByRole('row').nth(20)).toBeAttached();
  const before = await steps(page);
  await scroller(page).evaluate((element) => element.scrollTo({ top: 900 }));
  await expect.poll(() => scrolled(page)).toBeGreaterThan(300);
  // By its row: the rows in the DOM change while the list scrolls, and a user with two sessions has two links.
  const index = await page.locator('tr[data-row]').nth(12).getAttribute('data-index');
  const user = page.locator(`tr[data-index="${index}"] a`).first();
  await user.evaluate((link) => link.scrollIntoView({ block: 'center' }));
  // When it is clicked: rows that arrive may move the list until then.
  await scroller(page).evaluate((element) =>
    addEventListener('click', () => Object.assign(window, { left: element.scrollTop }), {
      capture: true,
      once: true,
    }),
  );
  await user.click();
  await expect(page).toHaveURL(/user=/);
  const address = page.url();
  expect(await steps(page)).toBe(before + 1);
  await page.goBack();
  await expect(page).toHaveURL(/\/demo\/sessions$/);
  const left = await page.evaluate(() => (window as unknown as { left: number }).left);
  await expect.poll(() => scrolled(page)).toBe(left);
  await page.goForward();
  await expect(page).toHaveURL(address);
  await expect(page.getByRole('searchbox').first()).not.toHaveValue('');
});

test('Back returns to the tab before, and typing in a filter is no step', { tag: '@long' }, async ({
  signInAs,
}) => {
  const page = await signInAs('admin');
  await page.goto('/demo/env');
  const before = await steps(page);
  const search = page.getByRole('searchbox');
  await search.fill('FEATURE');
  await expect(page).toHaveURL(/q=FEATURE/);
  await search.fill('MAIL');
  await expect(page).toHaveURL(/q=MAIL/);
  expect(await steps(page)).toBe(before);
  await page.getByRole('tab', { name: messages.env.tab.backups }).click();
  await expect(page).toHaveURL(/tab=backups/);
  await page.goBack();
  await expect(page.getByRole('tab', { name: messages.env.tab.variables })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await expect(search).toHaveValue('MAIL');
});

test('Back asks before it leaves a filled form that stands in the address', { tag: '@long' }, async ({
  signInAs,
}) => {
  const page = await signInAs('admin');
  await page.goto('/demo/overview');
  await page.goto('/demo/guard?ban=198.18.20.77');
  const form = page.getByRole('dialog', { name: 'Ban addresses' });
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
  await form.getByLabel('Reason').fill('Ticket 7');
  for (const answer of ['Keep editing', 'Discard']) {
    await expect.poll(() => taken(page)).toBe(1);
    await page.goBack();
    await question.getByRole('button', { name: answer }).click();
    await expect(question).toHaveCount(0);
    if (answer === 'Keep editing') await expect(form.getByLabel('Reason')).toHaveValue('Ticket 7');
  }
  await expect(form).toHaveCount(0);
  await expect(page).not.toHaveURL(/ban=/);
  await page.goBack();
  await expect(page).toHaveURL('/demo/overview');
});
