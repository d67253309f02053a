import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
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
