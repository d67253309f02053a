import { expect, it } from 'vitest';
import { testContext } from '@/scripts/testing/context';
import { restartDuring } from '@/scripts/testing/restart';
import { variableNames } from './variable-names';

it('all names are found although the server restarts during the scan', async () => {
  const scan = { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 };
  const test = await testContext({ apps: ['discours'], scan });
  try {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 300; i++) pipeline.set(`env_vars:NAME_${i}`, 'x');
    await pipeline.exec();
    const { restarts } = restartDuring(test, 4);
    expect(await variableNames(test.ctx)).toHaveLength(300);
    expect(restarts()).toBe(1);
  } finally {
    await test.close();
  }
});
