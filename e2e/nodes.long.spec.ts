import { expect, test } from './fixtures';
import { openOnPhone } from './phone';

test('a viewer sees the node of the connection, with its figures', async ({ signInAs }) => {
  const page = await signInAs('viewer');
  await page.goto('/demo/overview');
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('button', { name: 'More' }).click();
  await pages.getByRole('link', { name: 'Server' }).click();
  // One entry for three pages, of which a viewer sees two.
  await expect(page.getByRole('heading', { name: 'Server', level: 1 })).toBeVisible();
  const tabs = page.getByRole('navigation', { name: 'Server' }).getByRole('link');
  await expect(tabs).toHaveText(['Nodes', 'Diagnostics']);
  const row = page.getByRole('row').filter({ hasText: 'primary' });
  await expect(row).toContainText('ready');
  // After the second sample, which another part of the console takes.
  await expect(row).toContainText('/s', { timeout: 15_000 });
  await expect(row).toContainText(/(Redis|Valkey) \d/);
  const cards = await openOnPhone(page, '/demo/nodes');
  await expect(cards.first()).toContainText('Memory');
});
