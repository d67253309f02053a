import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTo } from '@/lib/redis/client';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { RedisServer } from '@/scripts/redis-server.mjs';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import { behindSentinels } from '@/scripts/testing/behind-sentinels';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { TailReader } from '@/scripts/testing/tail';
import { closeHubs } from './hub';

const NEWS = 'notifications:global';

let test: TestContext;
let watched: Sentinels;
let handle: ConnectionHandle;
let reader: TailReader;
beforeAll(async () => {
  [test, watched] = await Promise.all([testContext({ apps: ['discours'] }), startSentinels({ replicas: 2 })]);
  handle = behindSentinels(test.handle.config, watched);
  reader = await new TailReader({ ...test.ctx, connection: handle }, { channels: [NEWS] }).begun();
});
afterAll(async () => {
  await reader.close();
  closeHubs();
  handle.topology.close();
  await Promise.all([watched.stop(), test.close()]);
});

const publishOn = async ({ url }: RedisServer, payload: string): Promise<number> => {
  const client = connectTo({ ...test.handle.config, url }, 'test');
  try {
    await client.ready();
    return await client.redis.publish(NEWS, payload);
  } finally {
    client.close();
  }
};

/** Within 5 s the tail says since when it heard nothing, and hears what is published on the new primary. */
const expectGoesOn = async (failover: () => Promise<RedisServer>): Promise<void> => {
  const gaps = reader.gaps.length;
  const primary = await failover();
  await expect
    .poll(() => publishOn(primary, primary.url), { timeout: 5000, interval: 50 })
    .toBeGreaterThan(0);
  await expect.poll(() => reader.payloads).toContain(primary.url);
  // The end of the gap may be sent after the first message.
  await expect.poll(() => reader.gaps.length - gaps).toBeGreaterThanOrEqual(2);
  const [lost, back] = reader.gaps.slice(gaps);
  expect(lost).toMatchObject({ reason: 'connection_lost', until: null });
  expect(back).toMatchObject({ since: lost!.since, until: expect.any(String) });
};

const expectFirst = async (): Promise<void> => {
  expect(await publishOn((await watched.primary())!, 'first')).toBe(1);
  await reader.until(({ messages }) => messages.length === 1);
};

it('hears the new primary after an ordered failover, and after the old one was killed', async () => {
  await expectFirst();
  await expectGoesOn(() => watched.failover());
  await expectGoesOn(async () => {
    const old = (await watched.primary())!;
    process.kill(old.pid, 'SIGKILL');
    return watched.untilPrimaryIsNot(old);
  });
});
