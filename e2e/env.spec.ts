import { edit, fieldOf, keyOf, open } from './env-list';
import { expect, test } from './fixtures';
import { uniqueName } from './unique';

test('an admin edits with a diff, a reason and undo; the history has it', async ({ signInAs, appRedis }) => {
  const name = uniqueName('E2E_*_NOTE');
  await appRedis.set(keyOf(name), 'one\r\ntwo\r\n');
  const page = await signInAs('admin');
  await open(page, name);
  const drawer = await edit(page, name);
  await expect(drawer.getByRole('button', { name: 'Save' })).toBeDisabled();
  await fieldOf(drawer).fill('one\nthree\n');
  const diff = drawer.getByRole('region', { name: 'Changes' });
  await expect(diff).toContainText('Removed: two');
  await expect(diff).toContainText('Added: three');
  await drawer.getByLabel('Reason').fill('Ticket 51: it is three');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('one\r\nthree\r\n');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Change undone.')).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('one\r\ntwo\r\n');

  await page.getByRole('button', { name: `History of ${name}` }).click();
  const history = page.getByRole('dialog', { name: `History of ${name}` });
  await expect(history.getByText('Ticket 51: it is three')).toBeVisible();
  await expect(history.locator('.mantine-Timeline-item')).toHaveCount(2);
  await expect(page).toHaveURL(new RegExp(`history=${name}`));
});
