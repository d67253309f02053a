import { expect, test as plain } from '@playwright/test';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { lookAt } from './axe';
import { expectStatus } from './expect-status';

const ADMIN = { email: 'first@example.org', password: 'a-password-of-mine' };
const C = '/api/v1/connections/main';

const test = plain.extend<object, { own: PrivateConsole }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      // A busy machine only estimates 200 000 keys: an estimate above the limit of what is kept for undo would be refused.
      const own = await privateConsole({ KEYWARD_UNDO_MAX_KEYS: '400000' });
      await use(own);
      await own.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

test.describe.configure({ mode: 'serial', timeout: 120_000 });

const api = (own: PrivateConsole, path: string, init: { method?: string; body?: unknown } = {}) =>
  fetch(own.baseUrl + path, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });

const post = (own: PrivateConsole, path: string, body: unknown) => api(own, path, { method: 'POST', body });

const fill = async (own: PrivateConsole, count: number): Promise<void> => {
  for (let from = 0; from < count; from += 10_000) {
    const pipeline = own.app.client.pipeline();
    for (let id = from; id < Math.min(count, from + 10_000); id++) pipeline.set(`topic_content:${id}`, 'x');
    await pipeline.exec();
  }
};

const left = (own: PrivateConsole): Promise<number> => own.app.client.dbsize();

const jobOf = async (own: PrivateConsole, jobId: string) => (await api(own, `/api/v1/jobs/${jobId}`)).json();

const begin = async (own: PrivateConsole): Promise<{ jobId: string; auditId: string }> => {
  const answer = await post(own, `${C}/caches/invalidate`, {
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

test('the first visit makes the first admin with the code printed at start', async ({ own, page }) => {
  await expect.poll(own.output).toContain('set-up code:');
  const code = /set-up code: (\S+)/.exec(own.output())![1]!;
  await page.goto(own.baseUrl);
  await page.waitForURL(/\/setup/);
  await lookAt(page, 'setup');
  await page.getByLabel('Set-up code').fill(code);
  await page.getByLabel('Name').fill('First');
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: /create/i }).click();
  await page.waitForURL(/\/main\/overview|\/sign-in/);
  const again = await fetch(`${own.baseUrl}/api/v1/setup`, { method: 'POST', body: '{}' });
  expect(again.status).toBeGreaterThanOrEqual(400);
});

test('a Redis that goes leaves the last values with their age, and comes back by itself', async ({
  own,
  page,
}) => {
  await page.goto(`${own.baseUrl}/sign-in`);
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/main\/overview/);
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  const now = Date.now();
  const range = `from=${new Date(now - 600_000).toISOString()}&to=${new Date(now + 60_000).toISOString()}`;
  const kinds = async (): Promise<string[]> => {
    const { events } = await (await api(own, `${C}/metrics/series?${range}&stepSeconds=10`)).json();
    return events.map((event: { kind: string }) => event.kind);
  };
  await own.app.kill();
  await expect.poll(async () => (await api(own, `${C}/overview`)).status, { timeout: 15_000 }).toBe(503);
  expect(await (await api(own, `${C}/flags`)).json()).toMatchObject({
    code: 'unreachable',
    connection: 'main',
  });
  await expect(page.getByRole('status').filter({ hasText: 'Redis is gone' })).toBeVisible({
    timeout: 20_000,
  });
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  // The sampler looks once a second: a server that is away for less has only restarted, as far as it can tell.
  await expect.poll(kinds).toContain('outage');
  await own.app.start();
  await expect.poll(async () => (await api(own, `${C}/overview`)).status, { timeout: 5000 }).toBe(200);
  await expect(page.getByRole('status').filter({ hasText: 'Redis is gone' })).toBeHidden({ timeout: 20_000 });
  // The sampler sees the return at its next turn, which may be after the page did.
  await expect.poll(kinds).toEqual(expect.arrayContaining(['outage', 'recovered']));
});

test('without its store the console reads on and changes nothing', async ({ own }) => {
  await own.app.client.set('env_vars:FEATURE_STORE', 'true');
  const { items } = await (await api(own, `${C}/flags`)).json();
  const { etag } = items.find((item: { name: string }) => item.name === 'FEATURE_STORE');
  await own.store.kill();
  const read = await api(own, `${C}/flags`);
  await expectStatus(read, 200);
  const change = await api(own, `${C}/flags/FEATURE_STORE`, {
    method: 'PUT',
    body: { enabled: false, etag },
  });
  expect([change.status, (await change.json()).code]).toEqual([503, 'store_unavailable']);
  expect(await own.app.client.get('env_vars:FEATURE_STORE')).toBe('true');
  await expectStatus(await api(own, '/api/ready'), 503);
  await expectStatus(await api(own, '/api/health'), 200);
  await own.store.start();
  await expect.poll(async () => (await api(own, '/api/ready')).status, { timeout: 10_000 }).toBe(200);
  const again = await api(own, `${C}/flags/FEATURE_STORE`, { method: 'PUT', body: { enabled: false, etag } });
  await expectStatus(again, 200);
  expect((await (await post(own, '/api/v1/audit/verify', {})).json()).ok).toBe(true);
});

test('an invalidation of 200 000 keys can be cancelled half-way, and says what it did', async ({ own }) => {
  await own.app.client.del('env_vars:FEATURE_STORE');
  await fill(own, 200_000);
  const { jobId } = await begin(own);
  const twin = await post(own, `${C}/caches/invalidate`, { family: 'discours.topic-content' });
  await expectStatus(twin, 409);
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
  const pending = Number(/(\d+) more were under way/.exec(job.error)?.[1] ?? 0);
  expect(deleted).toBeGreaterThanOrEqual(job.done);
  expect(deleted).toBeLessThanOrEqual(job.done + pending);
  const { items } = await (await api(own, '/api/v1/audit?action=caches.invalidate')).json();
  expect(items.find((item: { id: string }) => item.id === auditId)).toMatchObject({ outcome: 'failed' });
  expect((await (await post(own, '/api/v1/audit/verify', {})).json()).ok).toBe(true);
  // Nobody takes it up again by itself.
  expect(await left(own)).toBe(before - deleted);
});

test('SIGTERM ends the console although streams are open', async ({ own }) => {
  const stream = await api(own, `${C}/metrics/stream`);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  const started = Date.now();
  await own.stop();
  expect(Date.now() - started).toBeLessThan(9000);
  await stream.body?.cancel().catch(() => undefined);
  expect(await fetch(own.baseUrl).catch(() => 'gone')).toBe('gone');
});
