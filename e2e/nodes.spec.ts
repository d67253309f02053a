import { expect, test } from './fixtures';
import { openOnPhone } from './phone';

test('a viewer sees the node of the connection, with its figures', async ({ signInAs }) => {
  const page = await signInAs('viewer');
  await page.goto('/demo/overview');
  await page.getByRole('link', { name: 'Nodes' }).click();
  const row = page.getByRole('row').filter({ hasText: 'primary' });
  await expect(row).toContainText('ready');
  // After the second sample, which another part of the console takes.
  await expect(row).toContainText('/s', { timeout: 15_000 });
  await expect(row).toContainText(/(Redis|Valkey) \d/);
  const cards = await openOnPhone(page, '/demo/nodes');
  await expect(cards.first()).toContainText('Memory');
});
