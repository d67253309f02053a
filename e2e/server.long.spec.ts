import { expect, test } from './fixtures';
import { openOnPhone } from './phone';

test('support sees the server, and kills no client', async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/demo/server');
  await expect(page.getByRole('heading', { name: 'Process' })).toBeVisible();
  await page.getByRole('tab', { name: 'Latency' }).click();
  await expect(page.getByRole('heading', { name: 'Round trips of Keyward' })).toBeVisible();
  await page.getByRole('tab', { name: 'Commands' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'INFO' }).first()).toContainText('/s');
  await page.getByRole('tab', { name: 'Clients' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'keyward-' }).first()).toContainText('Keyward');
  await expect(page.getByRole('button', { name: /^Kill/ })).toHaveCount(0);
  const cards = await openOnPhone(page, '/demo/server?tab=clients');
  await expect(cards.first()).toContainText('Memory');
});
