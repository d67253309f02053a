import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { backgroundDone } from '@/lib/background';
import { registerDomains } from '@/lib/domains/all';
import { store } from '@/lib/redis/store';
import { newerProblem, readVersion } from '@/lib/upgrade/stored-version';
import { type TestContext, testContext } from './testing/context';
import { ask, bearer, configureInterface, ROOT, succeed, User } from './testing/interface';

let test: TestContext;
let ann: User;
let token: string;

beforeAll(async () => {
  configureInterface();
  test = await testContext({ apps: ['discours', 'hawk'] });
  registerDomains();
  ann = await User.signedIn('ann@example.org', 'admin');
  token = await ann.token('support');
  await test.redis.mset('env_vars:FEATURE_OLD', 'false', 'author:id:1', '{}');
});
beforeEach(() => test.storeRedis.hset('keyward:schema', { version: '7', writtenBy: '3.0.0' }));
afterAll(async () => {
  store().refuseWrites(null);
  await test.close();
});

const contentOf = async (redis: TestContext['redis']): Promise<Record<string, string>> => {
  const keys = (await redis.keys('*')).sort();
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return Object.fromEntries(keys.map((key, i) => [key, dumps[i]!.toString('base64')]));
};

const refused = async (answer: Promise<Response>): Promise<void> => {
  const response = await answer;
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    code: 'store_version',
    detail: expect.stringMatching(
      /has schema 7 by Keyward 3\.0\.0; this is Keyward .* use Keyward 3\.0\.0 or newer/,
    ),
  });
};

it('reads on a store of a newer console, and changes nothing at all', { tags: ['long'] }, async () => {
  const flags = await succeed<{ items: { name: string; etag: string }[] }>('flags.list', {}, ann.headers);
  const { etag } = flags.items.find(({ name }) => name === 'FEATURE_OLD')!;
  await backgroundDone();
  store().refuseWrites(newerProblem(await readVersion(store())));
  const before = [await contentOf(test.redis), await contentOf(test.storeRedis)];

  for (const headers of [ann.headers, bearer(token), ROOT])
    for (const id of ['flags.list', 'overview.get', 'jobs.list', 'families.list', 'account.get'])
      expect((await ask(id, {}, headers)).status).toBe(200);
  const { attention } = await succeed<{ attention: { id: string; detail: string }[] }>(
    'overview.get',
    {},
    ann.headers,
  );
  expect(attention.map(({ id }) => id)).toContain('store-version');
  const ready = await ask('health.ready', {}, {});
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    status: 'unavailable',
    dependencies: [{ name: 'store', state: 'degraded', reason: expect.stringContaining('schema 7') }, {}],
  });
  expect((await ask('health.live', {}, {})).status).toBe(200);

  await refused(ask('flags.set', { name: 'FEATURE_OLD', enabled: true, etag }, ann.headers));
  await refused(ask('families.invalidate', { family: 'discours.author-id' }, ann.headers));
  await refused(
    ask(
      'users.create',
      { email: 'b@example.org', name: 'B', role: 'viewer', password: 'long-enough-1' },
      ROOT,
    ),
  );
  await refused(ask('tokens.api.create', { name: 'x', role: 'viewer', expiresAt: null }, ann.headers));
  await expect(User.signIn(ann.id, ann.email, 'correct horse battery')).rejects.toThrow('store_version');
  await ann.signOut();
  expect((await ask('flags.list', {}, ann.headers)).status).toBe(200);
  await backgroundDone();
  expect([await contentOf(test.redis), await contentOf(test.storeRedis)]).toEqual(before);

  store().refuseWrites(null);
  await succeed('flags.set', { name: 'FEATURE_OLD', enabled: true, etag }, ann.headers);
  expect(await test.redis.get('env_vars:FEATURE_OLD')).toBe('true');
});
