import { BIG_ROOM } from '../scripts/demo-traffic/social/damage';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('support finds a room of thousands of messages and searches in it', async ({ signInAs }) => {
  const page = await signInAs('support');
  await page.goto('/social/conversations?kind=qianxun.room');
  const rooms = page.getByRole('table', { name: 'Rooms and chats' });
  await expect(rooms.getByRole('row').filter({ hasText: BIG_ROOM.name })).toContainText('3,001');
  await rooms.getByRole('link', { name: new RegExp(BIG_ROOM.name) }).click();
  const messages = page.getByRole('list', { name: 'Messages', exact: true });
  // The latest is the one without separator.
  await expect(messages.getByRole('listitem').last()).toContainText('No separator');
  await expect(page.getByRole('button', { name: /^Delete message/ })).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search in the messages' }).fill('没有分隔符');
  await expect(messages.getByRole('listitem')).toHaveCount(1);
  await expect(page.getByText(/^1 match in [\d,]+ of 3,001 messages$/)).toBeVisible();
});

test('an admin deletes a message, and undoes it', { tag: '@long' }, async ({ signInAs, socialRedis }) => {
  const name = `e2e-${uniqueId()}`;
  const key = `topic:9:${name}`;
  const texts = ['Mia|1768478400|first', 'Leo|1768478460|second | with more', 'Mia|1768478520|third'];
  await socialRedis.rpush(key, ...texts);
  const stored = () => socialRedis.lrange(key, 0, -1);
  const page = await signInAs('admin');
  await page.goto(`/social/entities?${new URLSearchParams({ kind: 'qianxun.room', id: `9:${name}` })}`);
  await page.getByRole('button', { name: 'Delete message second | with more' }).click();
  const drawer = page.getByRole('dialog', { name: 'Delete message' });
  await expect(drawer).toContainText('second | with more');
  await drawer.getByLabel('Reason').fill('e2e: ticket 32');
  await drawer.getByRole('button', { name: 'Delete message' }).click();
  await expect.poll(stored).toEqual([texts[0], texts[2]]);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(stored).toEqual(texts);
  await socialRedis.unlink(key);
});
