import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { openOnPhone } from './phone';
import { uniqueId } from './unique';

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
