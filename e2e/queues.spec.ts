import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

test('product sees a queue, a member’s rank and a counter that is no number', async ({ signInAs, aside }) => {
  const created = new Date(Date.now() - 5 * 60_000).toISOString();
  await aside.rpush(
    'queue:mail',
    JSON.stringify({ id: 1, created_at: created, to: '<b>Ada</b>' }),
    'second',
    'third',
  );
  await aside.zadd('delayed:tasks', Math.floor(Date.now() / 1000) - 60, 'late', 4_000_000_000, 'later');
  await aside.zadd('leaderboard:weekly', 900, 'user:1', 500, 'user:2', 500, 'user:3', 10, 'user:4');
  await aside.set('counter:broken', 'twelve');
  await aside.set('counter:visits', '4321');
  await aside.setbit('bitmap:days', 9, 1);
  await aside.pfadd('hll:visitors', 'a', 'b', 'c');
  const page = await signInAs('product');
  await page.goto('/aside/queues');
  const row = (text: string) => page.locator('[data-row]').filter({ hasText: text });
  await expect(row('queue:mail')).toContainText('5 min ago');
  await expect(row('queue:mail')).toContainText('3');
  await expect(row('delayed:tasks')).toContainText('next in');
  await row('queue:mail').click();
  const drawer = page.getByRole('dialog', { name: 'Queue mail' });
  await expect(drawer.getByRole('list', { name: 'Elements from the head' })).toContainText('<b>Ada</b>');
  await drawer.getByText('From the tail').click();
  await expect(drawer.getByRole('list', { name: 'Elements from the tail' })).toContainText('third');
  await expectAccessible(page, 'queue');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Leaderboards' }).click();
  await row('leaderboard:weekly').click();
  const board = page.getByRole('dialog', { name: 'Leaderboard' });
  await board.getByRole('searchbox').fill('user:2');
  await expect(board.getByRole('status').filter({ hasText: 'Rank' })).toContainText(
    'Rank 3 of 4 with score 500. 1 other member has this score',
  );
  await expectAccessible(page, 'leaderboard');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Counters' }).click();
  await expect(row('counter:broken')).toContainText('not a number');
  await expect(row('counter:broken')).toContainText('twelve');
  await expect(row('counter:visits')).toContainText('4,321');
  await expect(row('bitmap:days')).toContainText('1 of 16 bits set');
  await expect(row('hll:visitors')).toContainText('≈ 3');
});
