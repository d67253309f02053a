import { expect, it } from 'vitest';
import { testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { getOverview } from './overview';

it('asks the application’s Redis once for all overviews of a moment', { tags: ['long'] }, async () => {
  const test = await testContext({ apps: ['discours', 'hawk'] });
  try {
    await test.redis.sadd('BlacklistIPsSet', '192.0.2.1');
    const calls = async (): Promise<number> => {
      const stats = await test.redis.info('commandstats');
      const counts = [...stats.matchAll(/cmdstat_(?:scard|zcard|dbsize):calls=(\d+)/g)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const ctx = test.as({ actor: testActor('viewer') });
    await getOverview(ctx);
    forget('overview sizes', 'overview sessions');
    await test.redis.config('RESETSTAT');
    const all = await Promise.all(Array.from({ length: 200 }, () => getOverview(ctx)));
    expect(new Set(all.map(({ blacklistedIps }) => blacklistedIps))).toEqual(new Set([1]));
    expect(await calls()).toBeLessThanOrEqual(3);
  } finally {
    await test.close();
  }
});
