import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('support reads a family, and no token', { tag: '@long' }, async ({ signInAs, appRedis }) => {
  const id = uniqueId();
  const author = `author:id:${Date.now()}`;
  const token = `oauth_access:${Date.now()}:google`;
  await appRedis.set(author, `{"name":"Ada ${id}"}`);
  await appRedis.set(token, 'a-secret-token-of-google', 'EX', 600);
  const page = await signInAs('support');
  await page.goto('/demo/command-line');
  const line = page.getByRole('combobox', { name: 'Command' });
  await line.fill('GE');
  await expect(page.getByRole('option').first()).toBeVisible();
  await line.press('ArrowDown');
  await line.press('Enter');
  await expect(line).toHaveValue(/^GE\w+ $/);
  await line.fill(`GET ${author}`);
  await line.press('Enter');
  const first = page
    .getByRole('list', { name: /^Answers/ })
    .getByRole('listitem')
    .first();
  await expect(first).toContainText(`Ada ${id}`);
  await line.fill(`GET ${token}`);
  await line.press('Enter');
  await expect(first).toContainText('The values of this key are secrets');
  await expect(first.getByRole('link', { name: 'Open Tokens' })).toBeVisible();
  await expect(page.locator('body')).not.toContainText('a-secret-token-of-google');
  await line.fill('FLUSHALL');
  await line.press('Enter');
  await expect(first).toContainText('It deletes everything');
  await line.fill(`SET ${author} x`);
  await line.press('Enter');
  await expect(first).toContainText('keys:write');
  await appRedis.unlink(author, token);
});

test('an admin’s DEL is shown before it runs, and undone', async ({ signInAs, appRedis }) => {
  const key = `shop:e2e:${uniqueId()}`;
  await appRedis.hset(key, { name: 'Ada', password: 'hunter2' });
  const page = await signInAs('admin');
  await page.goto('/demo/command-line');
  const line = page.getByRole('combobox', { name: 'Command' });
  await line.fill(`HGETALL ${key}`);
  await line.press('Enter');
  const first = page
    .getByRole('list', { name: /^Answers/ })
    .getByRole('listitem')
    .first();
  await expect(first.getByRole('table')).toContainText('Ada');
  await expect(first).not.toContainText('hunter2');
  await line.fill(`DEL ${key}`);
  await line.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Run this line' });
  await expect(drawer).toContainText('so the change can be undone');
  await expectAccessible(page, 'command-line-run');
  await drawer.getByRole('button', { name: 'Run' }).click();
  await expect(drawer).toBeHidden();
  expect(await appRedis.exists(key)).toBe(0);
  await first.getByRole('button', { name: 'Undo' }).click();
  await expect(first).toContainText('Change undone');
  expect(await appRedis.hget(key, 'password')).toBe('hunter2');
  await expect(page.getByText(`DEL ${key}`).last()).toBeVisible();
  await appRedis.unlink(key);
});
