import { readFileSync } from 'node:fs';
import type { Download } from '@playwright/test';
import { expectAccessible } from './axe';
import { edit, fieldOf, keyOf, open } from './env-list';
import { expect, test } from './fixtures';
import { uniqueName } from './unique';

const textOf = async (download: Download): Promise<string> => readFileSync(await download.path(), 'utf8');

test('the second of two editors sees both values and chooses', async ({
  signInAs,
  sessionOf,
  browser,
  appRedis,
  state,
}) => {
  const name = uniqueName('E2E_*_RACE');
  await appRedis.set(keyOf(name), 'first');
  const page = await signInAs('admin');
  const context = await browser.newContext({ baseURL: state.baseUrl });
  await context.addCookies(await sessionOf('admin'));
  const other = await context.newPage();
  await Promise.all([open(page, name), open(other, name)]);
  const [mine, theirs] = [await edit(page, name), await edit(other, name)];
  await fieldOf(theirs).fill('theirs');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(other.getByText(`${name} saved`)).toBeVisible();
  await fieldOf(mine).fill('mine');
  await mine.getByRole('button', { name: 'Save' }).click();
  const alert = mine.getByRole('alert');
  await expect(alert).toContainText('Someone changed this variable');
  await expect(alert.locator('dd')).toHaveText(['first', 'theirs', 'mine']);
  await expectAccessible(page, 'env-changed');
  expect(await appRedis.get(keyOf(name))).toBe('theirs');
  await alert.getByRole('button', { name: 'Edit their value' }).click();
  await expect(fieldOf(mine)).toHaveValue('theirs');
  await fieldOf(mine).fill('ours');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('ours');
  await context.close();
});

test('a variable is created, renamed, deleted and brought back', async ({ signInAs, appRedis }) => {
  const [name, newName] = [uniqueName('E2E_*_NEW_LIMIT'), uniqueName('E2E_*_NEWER_LIMIT')];
  const page = await signInAs('admin');
  await page.goto('/demo/env');
  await page.getByRole('button', { name: 'New variable' }).click();
  const drawer = page.getByRole('dialog', { name: 'New variable' });
  await drawer.getByLabel('Name').fill('9LIVES');
  await expect(drawer).toContainText('do not start with a digit');
  await drawer.getByLabel('Name').fill('SMTP_HOST');
  await expect(drawer).toContainText('A variable with this name already exists.');
  await drawer.getByLabel('Name').fill(name);
  await expect(drawer).toContainText('integer');
  await fieldOf(drawer).fill('10');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText(`${name} created`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('10');

  await open(page, name);
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByLabel('New name').fill(newName);
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect(page.getByText(`${name} renamed to ${newName}`)).toBeVisible();
  expect(await appRedis.mget(keyOf(name), keyOf(newName))).toEqual([null, '10']);

  await open(page, newName);
  await page.getByRole('button', { name: `More for ${newName}` }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText(`${newName} deleted`, { exact: true })).toBeVisible();
  expect(await appRedis.get(keyOf(newName))).toBeNull();
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect(page.getByText('Change undone.')).toBeVisible();
  expect(await appRedis.get(keyOf(newName))).toBe('10');
});

test('an import is looked at first, then applied as a whole; an export says what it leaves out', async ({
  signInAs,
  appRedis,
}) => {
  const host = uniqueName('E2E_*_HOST');
  const token = uniqueName('E2E_*_TOKEN');
  const port = uniqueName('E2E_*_PORT');
  await appRedis.set(keyOf(host), 'old.example.org');
  const page = await signInAs('admin');
  await page.goto('/demo/env');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Import variables' });
  const apply = drawer.getByRole('button', { name: /^Import( \d+ changes?)?$/ });
  await drawer.getByLabel('Dotenv text').fill(`${port}=1\nnot a line\n${port}=2\n`);
  await drawer.getByRole('button', { name: 'Preview changes' }).click();
  await expect(drawer).toContainText('2 refused');
  await expect(drawer).toContainText('line 2');
  await expect(drawer).toContainText('Duplicate of the name on line 1.');
  await expect(apply).toBeDisabled();

  const text = `${host}=new.example.org\n${token}='imported-secret-1'\n${port}=several\n`;
  await drawer
    .locator('input[type=file]')
    .setInputFiles({ name: 'prod.env', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await expect(drawer).toContainText('prod.env');
  await drawer.getByRole('button', { name: 'Preview changes' }).click();
  await expect(drawer).toContainText('2 new');
  await expect(drawer).toContainText('1 changed');
  await expect(drawer.getByRole('row').filter({ hasText: host })).toContainText('new.example.org');
  await expect(drawer).not.toContainText('imported-secret-1');
  await expectAccessible(page, 'env-import');
  await expect(apply).toBeDisabled();
  await drawer.getByText('Import 1 questionable value anyway').click();
  await apply.click();
  await expect(page.getByText('Imported: 2 new, 1 changed')).toBeVisible();
  expect(await appRedis.mget(keyOf(host), keyOf(token), keyOf(port))).toEqual([
    'new.example.org',
    'imported-secret-1',
    'several',
  ]);

  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saving = page.getByRole('dialog', { name: 'Export variables' });
  const [open] = await Promise.all([
    page.waitForEvent('download'),
    saving.getByRole('button', { name: 'Download .env' }).click(),
  ]);
  expect(open.suggestedFilename()).toMatch(/^demo-variables-.*\.env$/);
  const openText = await textOf(open);
  expect(openText).toContain(`${host}=new.example.org`);
  expect(openText).not.toContain('imported-secret-1');
  await expect(saving).toContainText(`${token} Secret.`);
  await saving.getByLabel('With secrets').click();
  await expect(saving.getByRole('alert')).toContainText('in plain text');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    saving.getByRole('button', { name: 'Download with secrets' }).click(),
  ]);
  expect(await textOf(download)).toContain(`${token}=imported-secret-1`);
});
