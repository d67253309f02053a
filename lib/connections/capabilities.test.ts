import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { forgetCapabilities, requireCapable } from '@/lib/command/capable';
import { FEATURES, featureOf } from '@/lib/command/features';
import { openConnection } from '@/lib/redis/connections';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { describeCapabilities } from './capabilities';

let test: TestContext;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk', 'qianxun'] });
});
beforeEach(() => test.empty());
afterEach(async () => {
  await test.redis.config('SET', 'maxmemory', '0');
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => test.close());

const limited = async (...rules: string[]) => {
  await test.redis.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>pw', ...rules);
  const url = test.handle.config.url!.replace('//', '//limited:pw@');
  const connection = openConnection({ ...test.handle.config, url });
  closing.push(() => connection.topology.close());
  return { ...test.ctx, connection };
};
const described = async (ctx: Parameters<typeof describeCapabilities>[0]) => {
  const { features } = await describeCapabilities(ctx);
  return new Map(features.map((feature) => [feature.id, feature]));
};

it('has each operation in one feature', () => {
  const operations = FEATURES.flatMap((feature) => feature.operations);
  expect(featureOf.size).toBe(operations.length);
  expect(new Set(FEATURES.map(({ id }) => id)).size).toBe(FEATURES.length);
});

it.skipIf(IS_REDIS_6)('lists that everything works for a user who may do everything', async () => {
  const { features, nodes } = await describeCapabilities(test.ctx);
  expect(features.filter(({ state }) => state !== 'works')).toEqual([]);
  expect(features).toHaveLength(FEATURES.length);
  expect(nodes).toMatchObject([{ role: 'primary', user: 'default', scripts: true }]);
});

it.skipIf(IS_REDIS_6)('names the missing command, and the ACL rules that would allow it', async () => {
  const ctx = await limited('~*', '&*', '+@all', '-unlink', '-config|get', '-eval_ro', '-evalsha_ro');
  const features = await described(ctx);
  expect(features.get('variables-delete')).toMatchObject({
    state: 'no',
    missing: ['UNLINK'],
    acl: '+unlink',
    reason: 'its user may not use UNLINK',
  });
  expect(features.get('variables-set')).toMatchObject({ state: 'works', missing: [], acl: null });
  expect(features.get('windows')).toMatchObject({ state: 'slower', acl: '+config|get' });
  expect(features.get('sessions')).toMatchObject({ state: 'slower', acl: '+evalsha_ro +eval_ro' });
});

it.skipIf(IS_REDIS_6)('names the keys that a user may not use', async () => {
  const ctx = await limited('~session:*', '~user_sessions:*', '~*-*-*', '&*', '+@all');
  const features = await described(ctx);
  expect(features.get('sessions')?.state).toBe('works');
  expect(features.get('guard')).toMatchObject({ state: 'no', missing: [] });
  expect(features.get('guard')?.acl).toContain('~BlacklistIPsSet');
  expect(features.get('keys')).toMatchObject({ state: 'slower', acl: '~*' });
});

it('knows no change of a read-only connection or of a replica that works', async () => {
  const readOnly = openConnection({ ...test.handle.config, readOnly: true });
  closing.push(() => readOnly.topology.close());
  const features = await described({ ...test.ctx, connection: readOnly });
  for (const { id, changes } of FEATURES)
    expect([id, features.get(id)?.state === 'no']).toEqual([id, changes !== undefined]);
});

it('refuses what lacks a command before it is tried, and only while it does', { tags: 'long' }, async () => {
  const { connection, catalog } = await limited('~*', '&*', '+@all', '-unlink');
  const refused = await problemOf(requireCapable('env.delete', connection, catalog));
  expect(refused).toMatchObject({ status: 503, code: 'not_permitted' });
  expect(refused.extensions).toMatchObject({ command: 'UNLINK', acl: '+unlink' });
  await requireCapable('env.set', connection, catalog);
  await test.redis.call('ACL', 'SETUSER', 'limited', '+unlink');
  await expect
    .poll(
      () =>
        requireCapable('env.delete', connection, catalog).then(
          () => true,
          () => false,
        ),
      {
        timeout: 5000,
      },
    )
    .toBe(true);
  await test.redis.call('ACL', 'SETUSER', 'limited', '-unlink');
  forgetCapabilities(connection);
  await problemOf(requireCapable('env.delete', connection, catalog));
});

it('refuses what needs memory on a full server, and lets deletions through', async () => {
  await test.redis.config('SET', 'maxmemory', '1');
  const refused = await problemOf(requireCapable('env.set', test.handle, test.ctx.catalog));
  expect([refused.code, refused.message]).toEqual(['full', expect.stringContaining('memory limit')]);
  await requireCapable('env.delete', test.handle, test.ctx.catalog);
  const features = await described(test.ctx);
  expect(features.get('variables-set')).toMatchObject({ state: 'no', missing: [], acl: null });
  expect(features.get('variables-delete')?.state).toBe('works');
});
