import { expectClicksToLand, fillTraffic, isTraffic } from './aimed-clicks';
import { expect, test } from './fixtures';

const CONNECTIONS = /\/api\/v1\/connections(\?|$)/;

test('clicks at a live table land where they were aimed, and what waited is applied when it is left', {
  tag: '@long',
}, async ({ signInAs, appRedis, reserve }) => {
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

test('a click lands although an outage is noticed between pressing and releasing', { tag: '@long' }, async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  await reserve('CurrentPeriodMap');
  await fillTraffic(appRedis);
  const page = await signInAs('admin');
  await page.goto('/demo/guard?top=1000');
  await page.locator('[data-row]').first().getByRole('button').hover();
  await page.mouse.down();
  await page.route(CONNECTIONS, (route) => route.abort());
  // The second request is sent after the failure of the first one was shown.
  for (let i = 0; i < 2; i++)
    await page.waitForEvent('requestfailed', (request) => CONNECTIONS.test(request.url()));
  await page.mouse.up();
  await expect(page.getByRole('dialog', { name: 'Ban addresses' })).toBeVisible();
  await expect(page.getByTestId('outage')).toBeVisible();
  await page.unroute(CONNECTIONS);
});
