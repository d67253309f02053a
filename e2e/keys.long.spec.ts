import { randomBytes } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expectNoSecret, seedSession } from '../scripts/testing/sessions';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { openOnPhone, tap } from './phone';
import { uniqueId } from './unique';

const keysIn = (page: Page): Locator => page.getByRole('table', { name: 'Keys' }).locator('tbody [data-row]');

/** Opens the key with this name from the list. */
const openKey = async (page: Page, key: string): Promise<void> => {
  await page.getByRole('searchbox', { name: 'Key name or pattern' }).fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: key, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: key })).toBeVisible();
};

const editorOf = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: 'Edit value' }).click();
  return page.getByRole('dialog');
};

test('an admin goes from a family to a key, reads it page by page, edits it beside somebody else, and undoes its deletion', async ({
  signInAs,
  anotherAs,
  appRedis,
}) => {
  test.setTimeout(120_000);
  const id = uniqueId();
  const [topic, stats] = [`topic:id:${id}`, `stats:e2e${id}:weekly`];
  const fields = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`field-${i}`, `value ${i}`]));
  await appRedis.set(topic, '{"title":"Before"}');
  await appRedis.hset(stats, fields);
  await appRedis.expire(stats, 86_400);

  const page = await signInAs('admin');
  await page.goto('/demo/families?family=discours.stats');
  await page.getByRole('dialog').getByRole('link', { name: 'View keys' }).click();
  await expect(page).toHaveURL(/\/demo\/keys\?family=discours\.stats$/);
  const tree = page.getByRole('tree', { name: 'Families' });
  await expect(tree.getByRole('treeitem', { name: /^Statistics, / })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  // By its parameter, with the keyboard.
  await tree.getByRole('treeitem', { name: /^Statistics, / }).focus();
  await page.keyboard.press('ArrowRight');
  const entity = tree.getByRole('treeitem', { name: `e2e${id}, 1 key` });
  await expect(entity).toBeVisible();
  await entity.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`params=entity%3De2e${id}`));
  await expect(keysIn(page)).toHaveCount(1);
  await page.getByRole('link', { name: stats }).click();
  await expect(page.getByRole('heading', { level: 1, name: stats })).toBeVisible();

  // A page of fields first, the next ones while scrolling.
  const elements = page.locator('[data-table-root]', { has: page.getByRole('table', { name: 'Elements' }) });
  await expect(elements.getByText(/^\d+ rows so far$/)).toBeVisible();
  const scroller = elements.locator('section').last();
  await expect
    .poll(
      async () => {
        await scroller.evaluate((list) => list.scrollTo(0, list.scrollHeight));
        return elements.getByText(/rows/).first().textContent();
      },
      { timeout: 30_000 },
    )
    .toBe('1,500 rows');

  // Two admins edit one value: the second sees both values.
  await page.goto('/demo/keys');
  await openKey(page, topic);
  const other = await anotherAs('admin');
  await other.goto(page.url());
  const [mine, theirs] = [await editorOf(page), await editorOf(other)];
  await expect(theirs.getByRole('textbox', { name: 'Value' })).toHaveValue(/Before/);
  await mine.getByRole('textbox', { name: 'Value' }).fill('{"title":"Mine"}');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => appRedis.get(topic)).toContain('Mine');
  await theirs.getByRole('textbox', { name: 'Value' }).fill('{"title":"Theirs"}');
  await theirs.getByRole('button', { name: 'Save' }).click();
  const conflict = theirs.getByRole('alert');
  await expect(conflict).toContainText('Someone changed it meanwhile');
  await expect(conflict).toContainText('Theirs');
  await expect(conflict).toContainText('Mine');
  await expectAccessible(other, 'key-conflict');
  expect(await appRedis.get(topic)).toContain('Mine');
  await theirs.getByRole('button', { name: 'Save over it' }).click();
  await expect.poll(() => appRedis.get(topic)).toContain('Theirs');
  // Deleting compares with what the page shows, which is read again after saving.
  await expect(other.getByRole('main')).toContainText('Theirs');

  await other.getByRole('button', { name: 'More actions for this key' }).click();
  await other.getByRole('menuitem', { name: 'Delete…' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await expect.poll(() => appRedis.exists(topic)).toBe(0);
  await other
    .getByRole('status')
    .filter({ hasText: 'deleted' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(() => appRedis.get(topic)).toContain('Theirs');
  await appRedis.unlink(topic, stats);
});

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
