import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { driftOf } from '@/lib/catalog/drift';
import { keyIdOf } from '@/lib/command/key-ids';
import { parseInput } from '@/lib/command/validate';
import { getKey } from '@/lib/keys/get';
import { keyContracts } from '@/lib/keys/schema';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { takeCensus } from './census';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'minidouyin', 'qianxun'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const HOUR = 3600;

/** What is shown on the key, and what the report says of its family with one key. */
const driftOfKey = async (key: string) => {
  const input = parseInput(keyContracts.get, { keyId: keyIdOf(test.ctx, Buffer.from(key)) });
  const shown = await getKey(test.ctx, input);
  const { census } = await takeCensus(test.handle, new AbortController().signal);
  const family = test.ctx.catalog.mustGet(shown.family!);
  return { shown: shown.drift, counted: driftOf(family, census.families[family.id]!) };
};

type Write = (key: string) => Promise<unknown>;
type Row = readonly [key: string, write: Write, drift: readonly (readonly [string, string, string])[]];

const within = async (key: string, written: Promise<unknown>, seconds = 5 * HOUR) => {
  await written;
  await test.redis.expire(key, seconds);
};
const hash =
  (fields: Record<string, string>): Write =>
  (key) =>
    within(key, test.redis.hset(key, fields));

const ROWS: readonly Row[] = [
  ['user_like_4', (key) => within(key, test.redis.zadd(key, 27, '27')), [['type', 'set', 'zset']]],
  ['friendlist_4', (key) => within(key, test.redis.zadd(key, 5, '5')), [['type', 'set', 'zset']]],
  ['video_27', (key) => test.redis.hset(key, { ID: '27', Author: '4' }), [['ttl', '5 h', 'no TTL']]],
  ['publish_4', (key) => test.redis.sadd(key, '27'), [['ttl', '5 h', 'no TTL']]],
  ['followers_4', (key) => within(key, test.redis.sadd(key, '5'), 6 * HOUR), [['ttl', '5 h', '6 h']]],
  ['followers_5', (key) => within(key, test.redis.sadd(key, '4')), []],
  ['comment_9', hash({ VideoId: '27', UserId: '4' }), [['field', 'ID', 'missing']]],
  ['comment_9', hash({ ID: '9', VideoId: '27', UserId: '4', Content: '' }), []],
  ['4', hash({ Username: 'toni', Passwd: 'x' }), [['field', 'ID', 'missing']]],
  ['toni123456', hash({ ID: '4', Username: 'toni', Passwd: '123456' }), []],
  ['activity:u1:own', (key) => test.redis.rpush(key, 'a1'), []],
  ['activity:u1:in', (key) => test.redis.zadd(key, 1, 'a1'), []],
  ['activity:u1:in', (key) => test.redis.sadd(key, 'a1'), [['type', 'zset or list', 'set']]],
  ['user:u_1', (key) => within(key, test.redis.hset(key, 'username', 'anna'), 60), []],
  ['user:*', (key) => test.redis.hset(key, 'gender', 'f'), [['field', 'username', 'missing']]],
  ['message:1:2', (key) => test.redis.set(key, 'x'), [['type', 'list', 'string']]],
  [
    'author:id:7',
    (key) => within(key, test.redis.set(key, '{}'), 60),
    [['ttl', 'until invalidated', '1 min']],
  ],
];

it.each(ROWS)('%s: the key and its family say the same', async (key, write, drift) => {
  await write(key);
  const { shown, counted } = await driftOfKey(key);
  // Of a TTL that differs a key says how long it is, the report only how it differs.
  expect(shown.map(({ what, documented, found }) => [what, documented, found])).toEqual(drift);
  expect(counted.map(({ what, documented, keys, of }) => [what, documented, keys, of])).toEqual(
    drift.map(([what, documented]) => [what, documented, 1, 1]),
  );
});

it('counts per family what is really written', async () => {
  const pipeline = test.redis.pipeline();
  for (let id = 1; id <= 412; id++) pipeline.zadd(`friendlist_${id}`, 1, '1').expire(`friendlist_${id}`, 60);
  await pipeline.exec();
  const { census } = await takeCensus(test.handle, new AbortController().signal);
  const id = 'minidouyin.friendlist';
  expect(driftOf(test.ctx.catalog.mustGet(id), census.families[id]!)).toEqual([
    { family: id, what: 'type', documented: 'set', found: 'zset', keys: 412, of: 412 },
  ]);
});
