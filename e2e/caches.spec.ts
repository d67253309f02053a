import type { Redis } from 'ioredis';
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
  await expect(drawer).toContainText('Undo available for 24 h');
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

test('a large invalidation is stopped half-way, and says how far it came', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  // Enough that a slow browser cancels before a fast server is through.
  const TOTAL = 150_000;
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
  await drawer.getByRole('button', { name: 'Cancel job…' }).click();
  await drawer.getByRole('button', { name: 'Cancel job', exact: true }).click();
  await expect(drawer.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(drawer).toContainText('Cancelled: ');

  const figures = (await drawer.getByTestId('job-figures').textContent())!;
  const done = Number(figures.split(' of ')[0]!.replaceAll(',', ''));
  let left = 0;
  for (let i = 0; i < TOTAL; i += 5000) left += await appRedis.exists(...keys.slice(i, i + 5000));
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(TOTAL);
  expect(left).toBe(TOTAL - done);
  for (let i = 0; i < TOTAL; i += 5000) await appRedis.unlink(...keys.slice(i, i + 5000));
});
