import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('an admin creates a rule, sees it fire and deletes it; a viewer gets no buttons', async ({
  signInAs,
  aside,
}) => {
  const name = `Keys ${uniqueId()}`;
  await aside.set('e2e:alert', 'x');
  const page = await signInAs('admin');
  const dialog = page.getByRole('dialog');
  await page.goto('/aside/alerts?tab=rules');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('combobox', { name: 'Metric' }).fill('keyward_redis_keys');
  await page.getByRole('option', { name: 'Keys', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Threshold' }).fill('0');
  await dialog.getByLabel('Name').click();
  await expectAccessible(page, 'alerts-form');
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toBeVisible();

  await signInAs('viewer');
  await page.goto('/aside/alerts');
  await expect(row).toContainText('Firing', { timeout: 30_000 });
  await expect(page.getByRole('button', { name: /Silence|Create/ })).toHaveCount(0);

  await signInAs('admin');
  await page.goto('/aside/alerts?tab=rules');
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete rule' }).click();
  await dialog.getByRole('button', { name: 'Delete rule' }).click();
  await expect(page.getByText(`${name} is deleted`)).toBeVisible();
});
