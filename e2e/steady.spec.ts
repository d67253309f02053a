import { expectClicksToLand, isTraffic } from './aimed-clicks';
import { expect, test } from './fixtures';

test('clicks at a live table land where they were aimed, and what waited is applied when it is left', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  await reserve('CurrentPeriodMap');
  const page = await signInAs('admin');
  await expectClicksToLand(page, appRedis, 4);

  // What waited is applied by its button, and when pointer and focus have left.
  await page.locator('[data-row]').first().hover();
  for (let i = 0; i < 2; i++) await page.waitForResponse(isTraffic);
  const apply = page.getByRole('button', { name: /updates? · Apply/ });
  await expect(apply).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await expect(apply).toHaveCount(0);
});
