import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { openOnPhone } from './phone';
import { uniqueId } from './unique';

test('an admin releases a lock only from the owner that was shown', async ({ signInAs, appRedis }) => {
  const key = `lock:e2e:${uniqueId()}`;
  await appRedis.set(key, 'first-owner-of-the-lock');
  const page = await signInAs('admin');
  await page.goto(`/demo/locks?q=${key}`);
  const row = page.getByRole('row').filter({ hasText: key });
  // The first read waits for a scan of the keyspace.
  await expect(row).toContainText('No TTL', { timeout: 30_000 });
  await expect(row).toContainText('firs•••');
  const drawer = page.getByRole('dialog', { name: `Release ${key}` });
  const release = drawer.getByRole('button', { name: 'Release lock' });

  await page.getByRole('button', { name: `Release ${key}` }).click();
  await expect(drawer).toContainText('may still be running');
  await expectAccessible(page, 'locks-release');
  // The first owner has finished, and another took the lock.
  await appRedis.set(key, 'second-owner-of-the-lock');
  await release.click();
  await expect(drawer.getByText('This lock changed hands since you read it')).toBeVisible();
  expect(await appRedis.get(key)).toBe('second-owner-of-the-lock');
  await drawer.getByRole('button', { name: 'Cancel' }).click();

  await expect(row).toContainText('seco•••');
  await page.getByRole('button', { name: `Release ${key}` }).click();
  await drawer.getByLabel('Reason').fill('e2e: the worker died');
  await release.click();
  await expect(page.getByText(`${key} is released`)).toBeVisible();
  expect(await appRedis.exists(key)).toBe(0);
  await expect(row).toHaveCount(0);
});

test('support sees the stuck process first, and releases no lock', async ({ signInAs, appRedis }) => {
  const process = `e2e${uniqueId()}`;
  const started = Math.floor(Date.now() / 1000);
  await appRedis.hset(`state:${process}:new`, {
    status: 'running',
    progress: '0.9',
    started_at: started - 600,
  });
  await appRedis.expire(`state:${process}:new`, 600);
  await appRedis.hset(`state:${process}:stuck`, { status: 'running', progress: '40', started_at: started });
  await appRedis.set(`lock:${process}:1`, 'owner-of-the-lock', 'EX', 600);
  const page = await signInAs('support');
  await page.goto(`/demo/locks?tab=processes&process=${process}`);
  const rows = page.getByRole('table', { name: 'Processes' }).locator('tbody [data-row]');
  await expect(rows).toHaveCount(2, { timeout: 30_000 });
  await expect(rows.first()).toContainText(`state:${process}:stuck`);
  await expect(rows.first()).toContainText('40.0%');
  await page.getByRole('button', { name: `Details of state:${process}:stuck` }).click();
  await expect(page.getByRole('dialog')).toContainText('does not say that it has ended, and never expires');
  await expectAccessible(page, 'process');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Locks' }).click();
  await page.getByRole('searchbox', { name: 'Search by key' }).fill(process);
  await expect(page.getByRole('row').filter({ hasText: `lock:${process}:1` })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Release/ })).toHaveCount(0);
  const cards = await openOnPhone(page, `/demo/locks?q=${process}`);
  await expect(cards.first()).toContainText('Too long');
  await appRedis.unlink(`state:${process}:new`, `state:${process}:stuck`, `lock:${process}:1`);
});
