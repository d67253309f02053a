import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { FLAGS, flagsOf, SAMPLED, sampleReads, startReads } from './live-sample';

/** The family of `topic:authors:*`. */
const FAMILY = /Topic's authors/;

/** The tests of this file share the windows and the flags of one server, and look at it at length. */
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

  const answer = await request.get(`${state.baseUrl}/api/v1/audit?action=caches.sample`, {
    headers: { authorization: `Bearer ${state.apiToken}` },
  });
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  expect(items[0]).toMatchObject({
    actor: 'product@keyward.example',
    outcome: 'succeeded',
    reason: 'e2e: how often topics are found',
  });
});

test('a viewer sees the figures and no actions', async ({ signInAs, context, state, appRedis, request }) => {
  await sampleReads(request, state, appRedis);
  const page = await signInAs('viewer');
  await page.goto('/demo/hit-rates');
  await expect(page.getByRole('row', { name: FAMILY })).toContainText('75.0%');
  await expect(page.getByRole('heading', { name: 'Not attributed' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Live sample' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Sample now…' })).toHaveCount(0);
  const answer = await context.request.post(`${state.baseUrl}/api/v1/connections/demo/caches/sample`, {
    data: { seconds: 1 },
    headers: { origin: state.baseUrl },
  });
  await expectStatus(answer, 403);
});

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
