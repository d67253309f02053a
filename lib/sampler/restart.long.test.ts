import { expect, it } from 'vitest';
import { testContext } from '@/scripts/testing/context';
import { restartDuring } from '@/scripts/testing/restart';
import { takeCensus } from './census';

it('counts each key once, though another process of the server answers in the middle', async () => {
  const scan = { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 };
  const test = await testContext({ apps: ['discours'], scan });
  try {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 3000; i++) pipeline.set(`shouts:author=${i}:limit=10:offset=0`, '[]');
    await pipeline.exec();
    const { restarts } = restartDuring(test, 4);
    const { census } = await takeCensus(test.handle, new AbortController().signal);
    expect(census.families['discours.shouts']).toMatchObject({ keys: 3000, withoutTtl: 3000 });
    expect(restarts()).toBe(1);
  } finally {
    await test.close();
  }
});
