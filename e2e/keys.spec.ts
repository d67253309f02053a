import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('an admin finds a key, edits its value, and undoes its deletion', async ({ signInAs, appRedis }) => {
  const key = `topic:id:${uniqueId()}`;
  await appRedis.set(key, '{"title":"Before"}');
  const page = await signInAs('admin');
  await page.goto('/demo/keys');
  await page.getByRole('searchbox', { name: 'Key name or pattern' }).fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: key, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: key })).toBeVisible();
  await page.getByRole('button', { name: 'Edit value' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('{"title":"Mine"}');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => appRedis.get(key)).toContain('Mine');
  // Deleting compares with what the page shows, which is read again after saving.
  await expect(page.getByRole('main')).toContainText('Mine');

  await page.getByRole('button', { name: 'More actions for this key' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await expect.poll(() => appRedis.exists(key)).toBe(0);
  await page.getByRole('status').filter({ hasText: 'deleted' }).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => appRedis.get(key)).toContain('Mine');
  await appRedis.unlink(key);
});
