import type { Redis } from 'ioredis';
import { VIEW_DAMAGE } from '../scripts/demo-traffic/background';
import { expect, test } from './fixtures';

/** The publication with most views, counted and in the latest import. */
const topOf = async (redis: Redis): Promise<{ id: string; views: number }> => {
  const imports: string[] = [];
  const counters: string[] = [];
  for await (const keys of redis.scanStream({ count: 1000 }))
    for (const key of keys as string[]) {
      if (/^migrated_views_\d+$/.test(key)) imports.push(key);
      if (key.startsWith('viewed:')) counters.push(key);
    }
  const imported = await redis.hgetall(imports.sort().at(-1)!);
  const counted = await redis.mget(counters);
  const [first] = counters
    .map((key, i) => {
      const id = key.slice('viewed:'.length);
      return { id, views: (Number(counted[i]) || 0) + Number(imported[id] ?? 0) };
    })
    .sort((a, b) => b.views - a.views);
  return first!;
};

test('product sees the most viewed publications, and where counters, imports and slugs disagree', async ({
  signInAs,
  appRedis,
}) => {
  const { id, views } = await topOf(appRedis);
  const page = await signInAs('product');
  await page.goto('/demo/views?top=20');
  const rows = page.getByRole('table', { name: 'Publications by views' }).locator('tbody [data-row]');
  await expect(rows.first()).toContainText(views.toLocaleString('en-GB'), { timeout: 30_000 });
  await expect(rows.first()).toContainText(`shout-${id}`);
  const drift = page.getByRole('list', { name: 'Disagreements' });
  await expect(drift).toContainText(`viewed:${VIEW_DAMAGE.notANumber}`);
  await expect(drift).toContainText('1 publication without a slug');
  await expect(drift).toContainText('1 slug without views');
  await expect(drift).toContainText('1 publication with several slugs');
  await expect(drift).toContainText('1 import whose total differs');
});
