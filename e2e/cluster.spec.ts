import { Cluster, type Redis } from 'ioredis';
import { expect, test as plain } from './fixtures';
import { uniqueId } from './unique';

const SLOTS = 16_384;

const test = plain.extend<{ app: Redis }>({
  app: async ({ state }, use) => {
    const app = new Cluster(state.clusterNodes.map((node) => `redis://${node}`));
    // It has the methods of a single server's client, except those that need one server.
    await use(app as unknown as Redis);
    app.disconnect();
  },
});

test('a viewer sees the three primaries of a cluster with their slots', { tag: '@long' }, async ({
  signInAs,
  state,
}) => {
  const page = await signInAs('viewer');
  await page.goto('/cluster/nodes');
  const rows = page.getByRole('row').filter({ hasText: 'primary' });
  await expect(rows).toHaveCount(3);
  for (const node of state.clusterNodes) await expect(rows.filter({ hasText: node })).toContainText('ready');
  const counts = (await rows.allInnerTexts()).map((text) => {
    const [, count = ''] = /\b(5,\d{3})\b/.exec(text) ?? [];
    return Number(count.replace(',', ''));
  });
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(SLOTS);
});

test('product invalidates keys on all nodes and undoes it', { tag: '@long' }, async ({ signInAs, app }) => {
  const id = uniqueId();
  const keys = Array.from({ length: 60 }, (_, i) => `topic:authors:${id}${i}`);
  await Promise.all(keys.map((key) => app.set(key, `[${key.length}]`, 'EX', 3600)));
  const left = async () => {
    const counts = await Promise.all(keys.map((key) => app.exists(key)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const page = await signInAs('product');
  await page.goto('/cluster/families?do=invalidate&family=discours.topic-authors');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'id', exact: true }).fill(`${id}*`);
  await drawer.getByLabel('Reason').fill('e2e: keys on all nodes');
  await drawer.getByRole('button', { name: 'Invalidate 60 keys' }).click();
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  expect(await left()).toBe(0);
  await drawer.getByRole('button', { name: 'Undo' }).click();
  await drawer.getByRole('link', { name: 'View job' }).click();
  await expect(drawer).toContainText('Undo a change');
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  expect(await left()).toBe(keys.length);
});
