import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { SAMPLED } from './live-sample';

/** The tests of this file share the windows and the flags of one server, and take long. */
test.describe.configure({ timeout: 120_000 });

test.beforeEach(({ reserve }) => reserve(SAMPLED));

test('the range, the comparison and the measure are in the address; the history is a file', async ({
  signInAs,
}) => {
  const page = await signInAs('viewer');
  await page.goto('/live/hit-rates?show=network');
  await expect(page.getByRole('heading', { name: 'Network traffic' })).toBeVisible();
  await page.getByRole('switch', { name: 'Compare with the previous period' }).click();
  await expect(page).toHaveURL(/compare=1/);
  await expect(page.getByText(/In: .*previous period/)).toBeVisible();
  await page.getByText('Custom', { exact: true }).click();
  await expect(page.getByLabel('From')).toBeVisible();
  await expect(page).toHaveURL(/range=custom&from=/);
  await page.getByRole('button', { name: 'Export' }).first().click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe('keyward-live.csv');
});

test('a family says how long its keys live', async ({ signInAs }) => {
  const page = await signInAs('viewer');
  await page.goto('/live/hit-rates?family=discours.shouts');
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByTestId('family-ttl')).toBeVisible({ timeout: 30_000 });
  await expect(drawer.getByRole('img', { name: /by remaining TTL/ })).toBeVisible();
  await expect(drawer.getByRole('img', { name: /by expiry time/ })).toBeVisible();
  await expectAccessible(page, 'hit-rates-family');
});
