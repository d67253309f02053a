import { expect, test } from './fixtures';
import { FLAGS, flagsOf, SAMPLED, startReads } from './live-sample';

/** The family of `topic:authors:*`. */
const FAMILY = /Topic's authors/;

/** The tests of this file share the windows and the flags of one server, and take long. */
test.describe.configure({ timeout: 120_000 });

test.beforeEach(({ reserve }) => reserve(SAMPLED));

test('product agrees to the exact flags, samples now, and they are as before afterwards', async ({
  signInAs,
  appRedis,
  state,
  request,
}) => {
  await appRedis.config('SET', FLAGS, 'Kx');
  const before = await flagsOf(appRedis);
  const page = await signInAs('product');
  await page.goto('/demo/hit-rates');
  await page.getByRole('button', { name: 'Sample now…' }).click();
  const drawer = page.getByRole('dialog');
  const verb = drawer.getByRole('button', { name: /^Sample for/ });
  await expect(drawer.getByTestId('flags')).toContainText(`now "${before}"`);
  await expect(drawer.getByTestId('flags')).toContainText(/while a window is open "(?=\w*E)(?=\w*m)\w+"/);
  await expect(verb).toBeDisabled();
  await drawer.getByLabel('Seconds').fill('2');
  await drawer.getByLabel('I agree to exactly this change').check();
  await drawer.getByLabel('Reason').fill('e2e: how often topics are found');
  const { stop } = await startReads(state.redisUrl);
  await verb.click();

  await expect(page).toHaveURL(/[?&]job=/);
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(drawer.getByRole('row', { name: FAMILY })).toContainText('75.0%');
  await stop();
  expect(await flagsOf(appRedis)).toBe(before);

  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: FAMILY });
  await expect(row).toContainText('75.0%');
  await expect(row).toContainText('Live sample');
  await expect(row).toContainText(/coverage [\d.]+%/);

  const answer = await request.get(`${state.baseUrl}/api/v1/audit?action=hitRates.sample`, {
    headers: { authorization: `Bearer ${state.apiToken}` },
  });
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  expect(items[0]).toMatchObject({
    actor: 'product@keyward.example',
    outcome: 'succeeded',
    reason: 'e2e: how often topics are found',
  });
});
