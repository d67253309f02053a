import type { APIRequestContext } from '@playwright/test';
import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';
import { expect, type State, test } from './fixtures';
import { uniqueId } from './unique';

/** Invalidates one key with the API token: by pattern, since each family allows one invalidation at a time. */
const startJob = async (request: APIRequestContext, state: State, key: string): Promise<string> => {
  const answer = await request.post('/api/v1/connections/demo/families/invalidate', {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { pattern: key, reason: 'e2e: jobs page' },
  });
  await expectStatus(answer, 202);
  return ((await answer.json()) as { jobId: string }).jobId;
};

/** Jobs of other tests may be queued before it. */
const untilDone = async (request: APIRequestContext, state: State, jobId: string): Promise<void> => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const read = async () =>
    ((await (await request.get(`/api/v1/jobs/${jobId}`, { headers })).json()) as { state: string }).state;
  await expect.poll(read, { timeout: 30_000 }).toBe('done');
};

test('a job is listed, opened by keyboard and by its URL', async ({ signInAs, appRedis, request, state }) => {
  const key = `authored_${uniqueId()}`;
  await appRedis.set(key, '[]');
  const jobId = await startJob(request, state, key);
  await untilDone(request, state, jobId);
  const page = await signInAs('admin');
  await page.goto('/jobs?connection=demo&state=done');
  const row = page.getByRole('row', { name: new RegExp(`pattern ${key}`) });
  await expect(row).toContainText('Invalidate keys');
  await expect(row).toContainText('1 of 1');
  await row.getByRole('button').press('Enter');
  await expect(page).toHaveURL(new RegExp(`job=${jobId}`));
  await page.reload();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('Deleted', { timeout: 20_000 });
  await expectAccessible(page, 'job');
  await drawer.getByRole('link', { name: 'Audit entry' }).click();
  await expect(page).toHaveURL(/\/audit\?entry=/);
  await expect(page.getByRole('dialog')).toContainText('e2e: jobs page');
});

test('a viewer sees no jobs of others, on the page or over HTTP', { tag: '@long' }, async ({
  signInAs,
  appRedis,
  request,
  context,
  state,
}) => {
  const key = `authored_${uniqueId()}`;
  await appRedis.set(key, '[]');
  const jobId = await startJob(request, state, key);
  const page = await signInAs('viewer');
  await page.goto(`/jobs?job=${jobId}`);
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('was not found');
  const list = await context.request.get(`${state.baseUrl}/api/v1/jobs`);
  expect(await list.json()).toMatchObject({ items: [] });
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/cancel'],
  ] as const) {
    const answer = await context.request.fetch(`${state.baseUrl}/api/v1/jobs/${jobId}${path}`, {
      method,
      headers: { origin: state.baseUrl },
      ...(method === 'POST' ? { data: {} } : {}),
    });
    await expectStatus(answer, 404);
  }
});
