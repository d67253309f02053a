import { expect, test } from './fixtures';
import { makeKeys } from './make-keys';
import { uniqueId } from './unique';

test('a large invalidation is stopped half-way, and says how far it came', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  // Enough keys for a slow browser to cancel before a fast server is done.
  const TOTAL = 150_000;
  await reserve('discours.author-follows-communitys');
  const id = uniqueId();
  const keys = await makeKeys(appRedis, `author:follows-communitys:${id}`, TOTAL);
  const page = await signInAs('product');
  await page.goto('/demo/families?do=invalidate&family=discours.author-follows-communitys');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'id', exact: true }).fill(`${id}*`);
  await expect(drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys$/ })).toBeEnabled();
  await drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys$/ }).click();
  await expect(drawer.getByTestId('job-figures')).toHaveText(/^[1-9][\d,]* of/);
  await drawer.getByRole('button', { name: 'Cancel job…' }).click();
  await drawer.getByRole('button', { name: 'Cancel job', exact: true }).click();
  await expect(drawer.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(drawer).toContainText('Cancelled: ');

  const figures = (await drawer.getByTestId('job-figures').textContent())!;
  const done = Number(figures.split(' of ')[0]!.replaceAll(',', ''));
  let left = 0;
  for (let i = 0; i < TOTAL; i += 5000) left += await appRedis.exists(...keys.slice(i, i + 5000));
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(TOTAL);
  expect(left).toBe(TOTAL - done);
  for (let i = 0; i < TOTAL; i += 5000) await appRedis.unlink(...keys.slice(i, i + 5000));
});
