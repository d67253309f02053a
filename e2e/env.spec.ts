import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { LISTED_MS } from './flag-list';
import { uniqueName } from './unique';

const keyOf = (name: string): string => `env_vars:${name}`;
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const fieldOf = (drawer: Locator) => drawer.getByLabel('Value', { exact: true });

/** Opens the page with only this variable on it. */
const open = async (page: Page, name: string, connection = 'demo'): Promise<void> => {
  await page.goto(`/${connection}/env?q=${encodeURIComponent(name)}`);
  await expect(rowOf(page, name)).toBeVisible({ timeout: LISTED_MS });
};

const edit = async (page: Page, name: string): Promise<Locator> => {
  await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click();
  const drawer = page.getByRole('dialog', { name: `Edit ${name}`, exact: true });
  await expect(fieldOf(drawer)).toBeVisible();
  return drawer;
};

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
