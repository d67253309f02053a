import { expect, it } from 'vitest';
import { testContext } from '@/scripts/testing/context';
import { restartDuring } from '@/scripts/testing/restart';
import { currentPass } from './pass';

it('all windows are found, though the server restarts during the pass', async () => {
  const scan = { chunk: 2, pauseMs: 0, maxAddedLatencyMs: 1000 };
  const test = await testContext({ apps: ['hawk'], scan });
  try {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 1000; i++)
      pipeline.hset('rate_limits', i.toString(16).padStart(24, '0'), '1700000000:3');
    await pipeline.exec();
    const { restarts } = restartDuring(test, 4);
    const pass = await currentPass(test.handle, test.ctx.catalog, 20_000);
    expect(pass.windows.size).toBe(1000);
    expect(restarts()).toBe(1);
  } finally {
    await test.close();
  }
});
