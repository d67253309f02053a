import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { openConnection } from './connections';
import { readNodeFlags } from './keyspace-events';
import { readyClient } from './topology';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
  await test.redis.call('ACL', 'SETUSER', 'managed', 'on', '>pw', '~*', '&*', '+@all', '-config');
});
afterAll(() => test.close());

const flagsAsManaged = async () => {
  const url = test.handle.config.url!.replace('//', '//managed:pw@');
  const handle = openConnection({ ...test.handle.config, url });
  try {
    const node = handle.topology.primaries()[0]!;
    return await readNodeFlags(node, await readyClient('main', node, 'read'));
  } finally {
    handle.topology.close();
  }
};

it('knows by a miss of its own that misses are announced, where CONFIG is refused', {
  tags: ['long'],
}, async () => {
  await test.redis.config('SET', 'notify-keyspace-events', 'Em');
  expect(await flagsAsManaged()).toBe('Em');
  await test.redis.config('SET', 'notify-keyspace-events', '');
  await expect(flagsAsManaged()).rejects.toThrow(/NOPERM/);
  expect(await test.redis.call('CONFIG', 'GET', 'notify-keyspace-events')).toEqual([
    'notify-keyspace-events',
    '',
  ]);
});
