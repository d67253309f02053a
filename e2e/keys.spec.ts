import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
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
  await page.goto('/demo/caches?family=discours.stats');
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
        await scroller.evaluate((each) => each.scrollTo(0, each.scrollHeight));
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
