import { expect, it } from 'vitest';
import { readPresenceHistory } from '@/lib/presence/history';
import { store } from '@/lib/redis/store';
import { HOUR, iso } from '@/lib/time';
import { testContext } from '@/scripts/testing/context';
import { Sampler } from './sampler';

it('the leading sampler records how many users are online', async () => {
  const test = await testContext({ apps: ['qianxun'] });
  const samplers = ['one', 'two'].map((self) => new Sampler(store(), [test.handle], self));
  try {
    await test.redis.sadd('onlines', 'u1', 'u2');
    const now = Date.now();
    const points = async () => {
      const range = { from: iso(now - HOUR), to: iso(now + HOUR), stepSeconds: 60 };
      return (await readPresenceHistory(test.ctx, range)).points;
    };
    const tick = async () => {
      for (const sampler of samplers) await sampler.tick();
    };
    await expect
      .poll(async () => {
        await tick();
        return (await points()).map(({ online }) => online);
      })
      .toEqual([2]);
  } finally {
    await Promise.all(samplers.map((sampler) => sampler.close()));
    await test.close();
  }
});
