import { expect, it } from 'vitest';
import { storeUnavailable } from '@/lib/redis/failure';
import { type Store, store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { takePartAlways, walkIfDue } from '@/lib/walk/shared-walk';
import { testContext } from '@/scripts/testing/context';
import { listAnalyses } from './reads';
import { writeSchedule } from './schedule';
import { scheduledAnalysis } from './scheduled';

it('stores one report for a time of the schedule, also where it could not mark that as done', async () => {
  const test = await testContext({ apps: ['discours'] });
  // Out once the report is stored.
  let isBroken = true;
  const use: Store['use'] = async (work) => {
    if (isBroken && (await test.storeRedis.exists('keyward:analyses:main')))
      throw storeUnavailable(new Error('closed'));
    return store().use(work);
  };
  const broken = Object.assign(Object.create(store()) as Store, { use });
  const part = scheduledAnalysis(broken, test.handle);
  const end = takePartAlways(test.handle, part);
  try {
    await test.redis.set('author:id:1', '{}');
    await writeSchedule(store(), 'main', { every: 'daily', at: '00:00' }, Date.now() - 2 * DAY);
    const list = async () => (await listAnalyses(test.ctx, { limit: 9 })).items;
    await expect(walkIfDue(test.handle)).rejects.toMatchObject({ code: 'store_unavailable' });
    const [first] = await list();
    isBroken = false;
    expect(await part.isDue()).toBe(true);
    await walkIfDue(test.handle);
    const items = await list();
    expect(items).toMatchObject([{ id: first!.id, scheduled: true, complete: true, keys: 1 }]);
    expect(items[0]!.at > first!.at).toBe(true);
    expect(await part.isDue()).toBe(false);
  } finally {
    end();
    await test.close();
  }
});
