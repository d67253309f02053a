import { randomBytes } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expectNoSecret, seedSession } from '../scripts/testing/sessions';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { openOnPhone, tap } from './phone';
import { uniqueId } from './unique';

const keysIn = (page: Page): Locator => page.getByRole('table', { name: 'Keys' }).locator('tbody [data-row]');

test('an admin creates a key by the form of its family, exports, deletes and imports it', async ({
  signInAs,
  appRedis,
}) => {
  test.setTimeout(120_000);
  const id = uniqueId();
  const key = `topic:authors:${id}`;
  const page = await signInAs('admin');
  await page.goto('/demo/keys?family=discours.topic-authors');
  await expect(page.getByRole('tree').getByRole('treeitem', { name: /^Topic's authors/ })).toBeVisible();
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create key' });
  await form.getByRole('textbox', { name: 'id', exact: true }).fill(id);
  await form.getByRole('textbox', { name: 'Value' }).fill('[1, 2]');
  await expect(form.getByText('Valid JSON')).toBeVisible();
  await expectAccessible(page, 'keys-create');
  await form.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByTestId('created').getByRole('link', { name: key })).toBeVisible();
  expect(await appRedis.get(key)).toBe('[1, 2]');
  // Once more: nothing is overwritten, and the form says so at the name.
  await page.getByRole('button', { name: 'Create key' }).click();
  await form.getByRole('textbox', { name: 'id', exact: true }).fill(id);
  await form.getByRole('button', { name: 'Create key' }).click();
  await expect(form.getByText(/exists/)).toBeVisible();
  await form.getByRole('button', { name: 'Cancel' }).click();

  await page.goto(`/demo/keys?q=${key}`);
  await page.getByRole('checkbox', { name: `Select ${key}` }).check();
  const bar = page.getByRole('region', { name: 'Actions for the selected rows' });
  await bar.getByRole('button', { name: 'Export 1 key' }).click();
  const exporting = page.getByRole('dialog', { name: 'Export keys' });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    exporting.getByRole('button', { name: 'Export 1 key' }).click(),
  ]);
  await expect(exporting.getByText(/^Saved 1 key/)).toBeVisible();
  await expectAccessible(page, 'keys-export');
  await exporting.getByRole('button', { name: 'Cancel' }).click();

  await bar.getByRole('button', { name: 'Delete 1 key' }).click();
  const deleting = page.getByRole('dialog', { name: 'Delete keys' });
  await expect(deleting.getByTestId('preview')).toContainText('1 key');
  await deleting.getByRole('button', { name: 'Delete 1 key' }).click();
  await expect(page.getByRole('dialog', { name: 'Job' }).getByText('Done', { exact: true })).toBeVisible();
  expect(await appRedis.exists(key)).toBe(0);

  await page.goto('/demo/keys');
  await page.getByRole('button', { name: 'Import' }).click();
  const importing = page.getByRole('dialog', { name: 'Import keys' });
  await importing.locator('input[type=file]').setInputFiles(await file.path());
  await expect(importing.getByText('1 key in the file')).toBeVisible();
  await expectAccessible(page, 'keys-import');
  expect(await appRedis.exists(key)).toBe(0);
  await importing.getByRole('button', { name: 'Restore 1 key' }).click();
  await expect(importing.getByText('1 key restored, read back')).toBeVisible();
  expect(await appRedis.get(key)).toBe('[1, 2]');
  await appRedis.unlink(key);
});

test('support reads no token: not in the list, the tree or the key, nor in any response', async ({
  signInAs,
  appRedis,
}) => {
  test.setTimeout(90_000);
  const { key, token, userId } = await seedSession(appRedis, { userId: uniqueId(), username: 'e2e-keys' });
  const bare = `jobs:e2e${userId}:${randomBytes(24).toString('hex')}`;
  await appRedis.set(bare, token);
  const secrets = [...token.split('.').slice(1), bare.split(':')[2]!];
  const page = await signInAs('support');
  const seen: string[] = [];
  const pending: Promise<unknown>[] = [];
  page.on('response', (answer) => {
    seen.push(answer.url());
    if (!/json|html|text\/x-component/.test(answer.headers()['content-type'] ?? '')) return;
    pending.push(
      answer.text().then(
        (text) => seen.push(text),
        () => undefined,
      ),
    );
  });
  const look = async () => seen.push(page.url(), await page.content());

  await page.goto(`/demo/keys?family=discours.session&params=user_id%3D${userId}`);
  await expect(keysIn(page)).toHaveCount(1);
  const tree = page.getByRole('tree', { name: 'Families' });
  await tree.getByRole('treeitem', { name: /^Sessions, / }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(tree.getByRole('treeitem', { name: /^\d+, \d+ keys?$/ }).first()).toBeVisible();
  await look();
  await expect(page.getByRole('button', { name: 'Create key' })).toHaveCount(0);
  await keysIn(page).getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`session:${userId}:`);
  await expect(page.getByText('e2e-keys').first()).toBeVisible();
  await look();

  await page.goto(`/demo/keys?q=jobs:e2e${userId}:*`);
  await expect(keysIn(page)).toHaveCount(1);
  await look();
  await keysIn(page).getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('jobs:');
  await look();
  await Promise.all(pending);
  for (const text of seen) expectNoSecret(text, secrets);
  await appRedis.unlink(key, bare, `user_sessions:${userId}`);
});

test('on a phone the tree is a drawer and keys are cards', async ({ signInAs }) => {
  const page = await signInAs('product');
  const cards = await openOnPhone(page, '/demo/keys');
  await expect(cards.first()).toBeVisible();
  await tap(page.getByRole('button', { name: 'Families' }));
  const drawer = page.getByRole('dialog', { name: 'Families' });
  await drawer
    .getByRole('treeitem', { name: /^Statistics, / })
    .getByText('Statistics')
    .click();
  await expect(page).toHaveURL(/family=discours\.stats/);
  await expect(page.getByTestId('chosen')).toHaveText('Statistics');
  await page.setViewportSize({ width: 1440, height: 900 });
});
