import type { APIRequestContext } from '@playwright/test';
import { lookAt } from './axe';
import { expect, type State, test } from './fixtures';

/** Starts an invalidation that deletes `keys` keys of nobody's, as the API token's holder. */
const startJob = async (request: APIRequestContext, state: State, id: string): Promise<string> => {
  const answer = await request.post('/api/v1/connections/demo/caches/invalidate', {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { family: 'discours.authored', params: { id }, reason: 'e2e: jobs page' },
  });
  expect(answer.status()).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
};

/** Other tests' jobs may be ahead of it. */
const untilDone = async (request: APIRequestContext, state: State, jobId: string): Promise<void> => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const read = async () =>
    ((await (await request.get(`/api/v1/jobs/${jobId}`, { headers })).json()) as { state: string }).state;
  await expect.poll(read, { timeout: 30_000 }).toBe('done');
};

test('a job is listed, opened by keyboard and led to from its address', async ({
  signInAs,
  appRedis,
  request,
  state,
}) => {
  await appRedis.set('authored_5510001', '[]');
  const jobId = await startJob(request, state, '5510001');
  await untilDone(request, state, jobId);
  const page = await signInAs('admin');
  await page.goto('/jobs?connection=demo&state=done');
  const row = page.getByRole('row', { name: /discours\.authored \(id=5510001\)/ });
  await expect(row).toContainText('Invalidate keys');
  await expect(row).toContainText('1 of 1');
  await row.getByRole('button').press('Enter');
  await expect(page).toHaveURL(new RegExp(`job=${jobId}`));
  await page.reload();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('Deleted', { timeout: 20_000 });
  await drawer.getByRole('link', { name: 'Its entry in the audit log' }).click();
  await expect(page).toHaveURL(/\/audit\?entry=/);
  await expect(page.getByRole('dialog')).toContainText('e2e: jobs page');
});

test('a viewer sees no work of others, by page or by HTTP', async ({
  signInAs,
  appRedis,
  request,
  context,
  state,
}) => {
  await appRedis.set('authored_5510003', '[]');
  const jobId = await startJob(request, state, '5510003');
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
    expect(answer.status()).toBe(404);
  }
});

test('jobs look right', async ({ signInAs, appRedis, request, state }) => {
  test.setTimeout(120_000);
  await appRedis.set('authored_5510004', '[]');
  const jobId = await startJob(request, state, '5510004');
  const page = await signInAs('admin');
  await page.goto('/jobs');
  await expect(page.getByText('discours.authored (id=5510004)')).toBeVisible();
  await lookAt(page, 'jobs');
  await page.goto(`/jobs?job=${jobId}`);
  await expect(page.getByRole('dialog').getByText('Done', { exact: true })).toBeVisible();
  await lookAt(page, 'jobs-drawer');
});
