import { DAMAGE } from '../scripts/demo-traffic/social/damage';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('an admin takes a user offline, and undoes it', async ({ signInAs, socialRedis }) => {
  const id = `e2e-${uniqueId()}`;
  await socialRedis.hset(`user:${id}`, { nickname: `Mia ${id}` });
  await socialRedis.sadd('onlines', id);
  const isOnline = () => socialRedis.sismember('onlines', id);
  const page = await signInAs('admin');
  await page.goto('/social/presence');
  const figures = page.getByRole('region', { name: 'Users online in figures' });
  await expect(figures).toContainText('Without profile');
  await expect(figures.getByText(String(DAMAGE.withoutProfile), { exact: true })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Users online' }).getByRole('row').nth(5)).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search by id or name' }).fill(id);
  await page.getByRole('button', { name: `Take Mia ${id} offline` }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('They stay signed in');
  await drawer.getByLabel('Reason').fill('e2e: ticket 31');
  await drawer.getByRole('button', { name: 'Take offline' }).click();
  await expect.poll(isOnline).toBe(0);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(isOnline).toBe(1);
  await socialRedis.srem('onlines', id);
  await socialRedis.unlink(`user:${id}`);
});
