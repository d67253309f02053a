import { expect } from '@playwright/test';
import { hrefOf, pagesFor } from '../components/shell/pages';
import type { PrivateConsole } from '../scripts/testing/private-console';
import { seedSession } from '../scripts/testing/sessions';
import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';
import { api, C, expectOutageOn, jobOf, post, signIn, testWith, WITH_ADMIN } from './own-console';

// A busy machine only estimates 200 000 keys: an estimate above the limit of what is kept for undo would be refused.
const test = testWith({ ...WITH_ADMIN, KEYWARD_UNDO_MAX_KEYS: '400000' });

test.describe.configure({ mode: 'serial', timeout: 300_000 });

/** Pages open at the same time: each updates itself, which takes the time of those that load. */
const TABS_AT_ONCE = 5;

const fill = async (own: PrivateConsole, count: number): Promise<void> => {
  const batch = 100_000;
  for (let from = 0; from < count; from += batch)
    await own.app.client.eval(
      `for id = ARGV[1], ARGV[1] + ARGV[2] - 1 do redis.call('SET', 'topic_content:' .. id, 'x') end`,
      0,
      from,
      batch,
    );
};

const left = (own: PrivateConsole): Promise<number> => own.app.client.dbsize();

const begin = async (own: PrivateConsole): Promise<{ jobId: string; auditId: string }> => {
  const answer = await post(own, `${C}/families/invalidate`, {
    family: 'discours.topic-content',
    reason: 'trouble',
  });
  await expectStatus(answer, 202);
  const started = await answer.json();
  await expect
    .poll(async () => (await jobOf(own, started.jobId)).done, { timeout: 30_000 })
    .toBeGreaterThan(500);
  return started;
};

test('every page reports within 5 s that Redis is unreachable, keeps its data, and says when Redis is back', async ({
  own,
  page,
}) => {
  test.setTimeout(240_000);
  await signIn(own, page);
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  const [connection] = (await (await api(own, '/api/v1/connections')).json()).items;
  const paths = pagesFor('admin', connection).map((target) => hrefOf(target, connection.id));
  expect(paths.length).toBeGreaterThan(10);
  for (let from = 0; from < paths.length; from += TABS_AT_ONCE)
    await expectOutageOn(own, page, paths.slice(from, from + TABS_AT_ONCE));
});

test('what its Redis user may not do is listed, and disabled until it is permitted', async ({
  own,
  page,
}) => {
  await own.app.client.set('env_vars:LIMITED', 'one');
  await own.app.client.acl('SETUSER', 'default', '-unlink');
  await signIn(own, page);
  await page.goto(`${own.baseUrl}/main/server?tab=works`);
  const row = page.getByRole('row').filter({ hasText: 'Delete variables' });
  await expect(row).toContainText('Not permitted');
  await expect(row).toContainText('its user may not use UNLINK');
  await expect(row).toContainText('+unlink');

  await page.goto(`${own.baseUrl}/main/env?q=LIMITED`);
  await page.getByRole('button', { name: 'More for LIMITED' }).click({ timeout: 20_000 });
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('alert')).toContainText('It takes the ACL rules +unlink.');
  await expect(drawer.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled();
  await expectAccessible(page, 'env-delete-impossible');

  await own.app.client.acl('SETUSER', 'default', '+unlink');
  const permitted = drawer.getByRole('button', { name: 'Delete', exact: true });
  await expect(permitted).toBeEnabled();
  await permitted.click();
  await expect.poll(() => own.app.client.exists('env_vars:LIMITED')).toBe(0);
});

test('an invalidation of 200 000 keys can be cancelled half-way, and says what it did', async ({ own }) => {
  await fill(own, 200_000);
  const { jobId } = await begin(own);
  const duplicate = await post(own, `${C}/families/invalidate`, { family: 'discours.topic-content' });
  await expectStatus(duplicate, 409);
  await expectStatus(await post(own, `/api/v1/jobs/${jobId}/cancel`, {}), 200);
  await expect.poll(async () => (await jobOf(own, jobId)).state).toBe('cancelled');
  const job = await jobOf(own, jobId);
  expect(job.done).toBeGreaterThan(0);
  expect(job.done).toBeLessThan(200_000);
  expect(await left(own)).toBe(200_000 - job.done);
});

test('a process killed half-way leaves a job that tells the truth', async ({ own }) => {
  const before = await left(own);
  const { jobId, auditId } = await begin(own);
  await own.kill();
  await own.start();
  await expect.poll(async () => (await jobOf(own, jobId)).state, { timeout: 30_000 }).toBe('interrupted');
  const job = await jobOf(own, jobId);
  const deleted = before - (await left(own));
  const pending = Number(/(\d+) more may have been done/.exec(job.error)?.[1] ?? 0);
  expect(deleted).toBeGreaterThanOrEqual(job.done);
  expect(deleted).toBeLessThanOrEqual(job.done + pending);
  const { items } = await (await api(own, '/api/v1/audit?action=families.invalidate')).json();
  expect(items.find((item: { id: string }) => item.id === auditId)).toMatchObject({ outcome: 'failed' });
  expect((await (await post(own, '/api/v1/audit/verify', {})).json()).ok).toBe(true);
  // No console resumes it by itself.
  expect(await left(own)).toBe(before - deleted);
});

test('a search shows its progress, can be cancelled, and continues after the connection broke', async ({
  own,
  page,
}) => {
  await own.app.client.flushdb();
  await fill(own, 3_000_000);
  for (let i = 0; i < 40; i++) await seedSession(own.app.client, { userId: '7700', username: 'findable' });
  await signIn(own, page);
  await page.goto(`${own.baseUrl}/main/sessions`);
  await page.getByRole('searchbox', { name: 'User id or name' }).fill('findable');
  const state = page.getByTestId('search-state');
  await expect(page.getByText(/of 3,000,\d+ keys · .*\/s · about .* left/).first()).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Search progress' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(state).toContainText(/Cancelled at \d+% with/);
  const cancelled = await state.textContent();

  await page.getByRole('button', { name: 'Search again' }).click();
  await expect(state).toContainText(/[1-9]\d* match(es)? so far/);
  await own.app.kill();
  await expect(state).toContainText('Connection lost at', { timeout: 30_000 });
  const kept = await page.locator('tr[data-index]').count();
  expect(kept).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(state).toContainText('Connection lost at');
  await expect(page.locator('tr[data-index]')).toHaveCount(kept);
  expect(cancelled).not.toBe(await state.textContent());
  await own.app.start();
  for (let i = 0; i < 3; i++) await seedSession(own.app.client, { userId: '7700', username: 'findable' });
  // The console reconnects; until then continuing is refused and can be retried.
  const goOn = page.getByRole('button', { name: 'Continue' });
  await expect(async () => {
    if (await goOn.isVisible()) await goOn.click();
    await expect(state).toContainText('3 matches: complete', { timeout: 3000 });
  }).toPass({ timeout: 40_000 });
  await expect(page.locator('tr[data-index]')).toHaveCount(3);
});
