import { expect, it } from 'vitest';
import { testContext } from '@/scripts/testing/context';
import { restartDuring } from '@/scripts/testing/restart';
import { topViews } from './reads';

it.each([3, 14])('counts all views, though the server restarts after call %i of the pass', async (call) => {
  const scan = { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 };
  const test = await testContext({ apps: ['discours'], scan });
  try {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 1000; i++)
      pipeline
        .set(`viewed:${i}`, 2)
        .hset('migrated_views_1740995200', i, 3)
        .hset('migrated_views_slugs', `s${i}`, i);
    await pipeline.exec();
    const { restarts } = restartDuring(test, call);
    const read = () => topViews(test.ctx, { limit: 10 });
    await expect.poll(async () => (await read()).total, { timeout: 20_000 }).toBe(5000);
    expect(await read()).toMatchObject({ publications: 1000, slugs: 1000, exact: true, drift: [] });
    expect(restarts()).toBe(1);
  } finally {
    await test.close();
  }
});
