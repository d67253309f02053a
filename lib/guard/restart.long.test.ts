import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { restartDuring } from '@/scripts/testing/restart';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { listBlacklist } from './reads';
import { heaviestFields } from './traffic/pass';

const MEMBERS = 3000;

describe.each(BOTH_WAYS)('across a restart, %s', (_, redisArgs) => {
  let test: TestContext;
  beforeEach(async () => {
    const scan = { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 };
    test = await testContext({ apps: ['hawk'], redisArgs, scan });
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < MEMBERS; i++) {
      const ip = `10.0.${Math.floor(i / 250)}.${i % 250}`;
      pipeline.sadd('BlacklistIPsSet', ip).hset('AllIPsMap', ip, 3);
    }
    await pipeline.exec();
  });
  afterEach(() => test.close());

  it('a page of a set is refused by a restarted server', async () => {
    const { nextCursor } = await listBlacklist(test.ctx, { limit: 10 });
    await listBlacklist(test.ctx, { limit: 10, cursor: nextCursor! });
    await test.restart();
    expect((await problemOf(listBlacklist(test.ctx, { limit: 10, cursor: nextCursor! }))).code).toBe(
      'cursor_expired',
    );
  });

  it('the heaviest callers are complete', async () => {
    const { restarts } = restartDuring(test, 4);
    const pass = await heaviestFields(test.handle, Buffer.from('AllIPsMap'), { most: 10 });
    expect(pass).toMatchObject({ fields: MEMBERS, total: BigInt(MEMBERS * 3) });
    expect(restarts()).toBe(1);
  });
});
