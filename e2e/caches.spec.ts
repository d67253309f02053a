import type { Redis } from 'ioredis';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

const AUTHORS_OF_TOPIC = '/demo/caches?do=invalidate&family=discours.topic-authors';

/** `count` keys `{prefix}0`, `{prefix}1`, …; answers their names. */
const makeKeys = async (redis: Redis, prefix: string, count: number): Promise<string[]> => {
  const keys = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  for (let i = 0; i < keys.length; i += 5000) {
    const pipeline = redis.pipeline();
    for (const key of keys.slice(i, i + 5000)) pipeline.set(key, '[]');
    await pipeline.exec();
  }
  return keys;
};

const invalidate = (body: object, token: string) => ({
  data: body,
  headers: { authorization: `Bearer ${token}` },
});

test('product previews and invalidates a part of a family, and the rest stays', async ({
  signInAs,
  appRedis,
  state,
  context,
  reserve,
}) => {
  await reserve('discours.topic-authors');
  const id = uniqueId();
  const meant = await makeKeys(appRedis, `topic:authors:${id}`, 40);
  const others = [
    ...(await makeKeys(appRedis, `topic:authors:${uniqueId()}`, 3)),
    ...(await makeKeys(appRedis, `topic:followers:${id}`, 3)),
  ];
  const page = await signInAs('product');
  await page.goto(AUTHORS_OF_TOPIC);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByTestId('preview')).toContainText('keys', { timeout: 20_000 });
  await drawer.getByRole('textbox', { name: 'id', exact: true }).fill(`${id}*`);
  await expect(drawer.getByTestId('preview')).toHaveText(/^(about )?\d+ keys/);
  await expect(drawer).toContainText(`topic:authors:${id}`);
  await expect(drawer).toContainText('Can be undone for 24 h');
  await drawer.getByLabel('Reason').fill('e2e: a part of a family');
  await drawer.getByRole('button', { name: /^Invalidate (about )?\d+ keys$/ }).click();

  // The same drawer shows the work; its address survives a reload.
  await expect(page).toHaveURL(/[?&]job=/);
  await expect(drawer.getByTestId('job-figures')).toHaveText(/^40 (of 40|done)$/);
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  await page.reload();
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  expect(await appRedis.exists(...meant)).toBe(0);
  expect(await appRedis.exists(...others)).toBe(others.length);

  // Whoever may invalidate sees it on the jobs page, from another page too.
  const elsewhere = await context.newPage();
  await elsewhere.goto('/jobs?connection=demo');
  await expect(elsewhere.getByText(`discours.topic-authors (id=${id}*)`).first()).toBeVisible();

  const answer = await context.request.get(
    `${state.baseUrl}/api/v1/audit?action=caches.invalidate&target=${id}*`,
    {
      headers: { authorization: `Bearer ${state.apiToken}` },
    },
  );
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  expect(items[0]).toMatchObject({
    actor: 'product@keyward.example',
    outcome: 'succeeded',
    reason: 'e2e: a part of a family',
    after: { matched: 40, deleted: 40, vanished: 0 },
  });
  await appRedis.unlink(...others);
});

test('an exact key that is no text is deleted, and nothing beside it', async ({ signInAs, appRedis }) => {
  const stem = `author:slug:${uniqueId()}-`;
  const odd = Buffer.from([...Buffer.from(stem), 0xff, 0xfe]);
  const beside = Buffer.from(`${stem}beside`);
  await appRedis.set(odd, '1');
  await appRedis.set(beside, '2');
  const page = await signInAs('product');
  await page.goto('/demo/caches');
  await page.getByRole('button', { name: 'Invalidate by entity, pattern or keys…' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Exact keys').click();
  await drawer.getByRole('textbox', { name: 'Keys' }).fill(`${stem}\\xff\\xfe`);
  await expect(drawer.getByTestId('preview')).toHaveText(/^1 key(?!s)/);
  await drawer.getByRole('button', { name: 'Invalidate 1 key' }).click();
  await expect(drawer.getByTestId('job-figures')).toHaveText('1 of 1');
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  expect(await appRedis.exists(odd)).toBe(0);
  expect(await appRedis.get(beside)).toBe('2');
  await appRedis.unlink(beside);
});

test('a large invalidation is stopped half-way, and says how far it came', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  const TOTAL = 50_000;
  await reserve('discours.author-follows-communitys');
  const id = uniqueId();
  const keys = await makeKeys(appRedis, `author:follows-communitys:${id}`, TOTAL);
  const page = await signInAs('product');
  await page.goto('/demo/caches?do=invalidate&family=discours.author-follows-communitys');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'id', exact: true }).fill(`${id}*`);
  await expect(drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys$/ })).toBeEnabled();
  await drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys$/ }).click();
  await expect(drawer.getByTestId('job-figures')).toHaveText(/^[1-9][\d,]* of/);
  await drawer.getByRole('button', { name: 'Stop this job…' }).click();
  await drawer.getByRole('button', { name: 'Stop the job' }).click();
  await expect(drawer.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(drawer).toContainText('Stopped by request');

  const figures = (await drawer.getByTestId('job-figures').textContent())!;
  const done = Number(figures.split(' of ')[0]!.replaceAll(',', ''));
  let left = 0;
  for (let i = 0; i < TOTAL; i += 5000) left += await appRedis.exists(...keys.slice(i, i + 5000));
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(TOTAL);
  expect(left).toBe(TOTAL - done);
  for (let i = 0; i < TOTAL; i += 5000) await appRedis.unlink(...keys.slice(i, i + 5000));
});

test('the same invalidation twice at once leads to the one that runs', async ({
  signInAs,
  appRedis,
  request,
  state,
  reserve,
}) => {
  await reserve('discours.follows-author');
  const id = uniqueId();
  const keys = await makeKeys(appRedis, `follows:author:${id}`, 30_000);
  const page = await signInAs('product');
  await page.goto('/demo/caches?do=invalidate&family=discours.follows-author');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'id', exact: true }).fill(`${id}*`);
  const verb = drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys$/ });
  await expect(verb).toBeEnabled();
  const target = { family: 'discours.follows-author', params: { id: `${id}*` } };
  const first = await request.post(
    '/api/v1/connections/demo/caches/invalidate',
    invalidate(target, state.apiToken),
  );
  await expectStatus(first, 202);
  const { jobId } = (await first.json()) as { jobId: string };
  await verb.click();
  await drawer.getByRole('button', { name: 'Watch it' }).click();
  await expect(page).toHaveURL(new RegExp(`job=${jobId}`));
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: 30_000 });
  expect(await appRedis.exists(...keys.slice(0, 1000))).toBe(0);
});

test('production asks for the connection to be typed', async ({ signInAs }) => {
  const page = await signInAs('product');
  await page.goto('/live/caches?do=invalidate&family=discours.shouts');
  const drawer = page.getByRole('dialog');
  const verb = drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys?$/ });
  await expect(verb).toBeDisabled();
  await drawer.getByLabel('type live to confirm').fill('liv');
  await expect(verb).toBeDisabled();
  await drawer.getByLabel('type live to confirm').fill('live');
  await expect(verb).toBeEnabled();
});

test('a guarded family is not for product: not on the page, not by HTTP', async ({
  signInAs,
  context,
  state,
}) => {
  const page = await signInAs('product');
  await page.goto('/demo/caches?family=discours.session');
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('Guarded');
  await expect(drawer.getByRole('button', { name: /^Invalidate/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Invalidate Publications', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Invalidate Sessions', exact: true })).toHaveCount(0);
  for (const operation of ['preview', 'invalidate']) {
    const answer = await context.request.post(
      `${state.baseUrl}/api/v1/connections/demo/caches/${operation}`,
      { data: { family: 'discours.session' }, headers: { origin: state.baseUrl } },
    );
    await expectStatus(answer, 403, operation);
  }
});

test('an admin is warned before a guarded family', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/caches?do=invalidate&family=discours.session');
  await expect(page.getByRole('dialog')).toContainText('These keys are not a cache');
});

test('a viewer sees the families and changes nothing', async ({ signInAs, context, state }) => {
  const page = await signInAs('viewer');
  await page.goto('/demo/caches');
  await expect(page.getByRole('row', { name: /shouts:\{params\}/ })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Invalidate/ })).toHaveCount(0);
  await page.goto('/demo/caches?do=invalidate&family=discours.shouts');
  await expect(page.getByRole('dialog')).toContainText('Your role sees the figures');
  const answer = await context.request.post(`${state.baseUrl}/api/v1/connections/demo/caches/invalidate`, {
    data: { family: 'discours.shouts' },
    headers: { origin: state.baseUrl },
  });
  await expectStatus(answer, 403);
});

test('the filters are in the address, and unknown hit rates say why', async ({ signInAs }) => {
  const page = await signInAs('viewer');
  await page.goto('/demo/caches');
  await page.getByRole('searchbox', { name: 'Family or pattern' }).fill('author');
  await page.getByRole('checkbox', { name: 'Caches only' }).check();
  await expect(page).toHaveURL(/q=author/);
  await expect(page).toHaveURL(/only=caches/);
  await page.reload();
  await expect(page.getByRole('searchbox', { name: 'Family or pattern' })).toHaveValue('author');
  await expect(page.getByRole('row', { name: /author:slug:/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /session:/ })).toHaveCount(0);
  await expect(page.getByRole('row', { name: /author:slug:/ })).toContainText(
    'no figure of this family in the last hour',
  );
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
});
