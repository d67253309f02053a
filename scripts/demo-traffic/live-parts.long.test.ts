import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '../redis-server.mjs';
import { batchOn } from './batch';
import { RATES } from './live';
import { LOCK_DAMAGE } from './locks';
import { STUCK } from './processes';
import { FAILED } from './queues';
import { seed } from './seed';
import { PLATFORM, subscribe } from './subscribers';

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const START = Date.UTC(2026, 0, 15, 12);
/** The parts that leave keys behind; reads of pages are frequent, and leave none. */
const PARTS = RATES.filter(([perSecond]) => perSecond <= 5);
const QUEUES = ['queue:email:pending', 'queue:images:resize'];

it('locks, processes, queues, figures and messages go on for half an hour, and none grows for ever', async () => {
  let now = START;
  const world = await seed(redis, { seed: 5, now: () => now });
  const listener = await subscribe(redis, PLATFORM);
  const messages: string[] = [];
  listener.on('pmessage', (_pattern, _channel, message: string) => messages.push(message));
  const batch = batchOn(redis);
  const due = PARTS.map(() => 0);
  const lengths: number[] = [];
  const seen = { released: 0, done: 0 };
  for (let second = 0; second < 1800; second++) {
    now += 1000;
    PARTS.forEach(([perSecond, act], i) => {
      due[i]! += perSecond;
      for (; due[i]! >= 1; due[i]! -= 1) act(world, batch);
    });
    await batch.flush();
    if (second % 60 > 0) continue;
    for (const queue of QUEUES) lengths.push(await redis.llen(queue));
    for (const key of await redis.keys('state:*'))
      if ((await redis.hget(key, 'status')) === 'done') seen.done += 1;
    seen.released = Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.info('commandstats'))![1]);
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(200);
  // Most of the 1800 locks are released, and in most minutes a process is done.
  expect(seen.released).toBeGreaterThan(1000);
  expect(seen.done).toBeGreaterThan(15);
  expect(await redis.zcard('delayed:reminders')).toBeLessThan(400);
  expect(await redis.zcard('leaderboard:authors:weekly')).toBeLessThanOrEqual(300);
  expect(await redis.llen('queue:reports:failed')).toBe(FAILED);
  expect((await redis.keys('state:*')).length).toBeLessThanOrEqual(37);
  const stuck = `state:${STUCK.process}:${STUCK.id}`;
  expect(await redis.hgetall(stuck)).toMatchObject({
    status: 'running',
    progress: String(STUCK.progress),
    total: String(STUCK.total),
    updated_at: String(START / 1000 - STUCK.hours * 3600),
  });
  expect(await redis.ttl(stuck)).toBeGreaterThan(3000);
  const { withoutTtl, tooLong } = LOCK_DAMAGE;
  expect(await redis.ttl(`lock:${withoutTtl.operation}:${withoutTtl.entity_id}`)).toBe(-1);
  expect(await redis.ttl(`lock:${tooLong.operation}:${tooLong.entity_id}`)).toBeGreaterThan(3600);
  expect(Number(await redis.get('counter:api:calls'))).toBeGreaterThan(48_000);
  expect(await redis.bitcount('bitmap:sign-in:2026-01-15')).toBeGreaterThan(0);
  expect(await redis.pfcount('hll:visitors:2026-01-15')).toBeGreaterThan(0);
  expect(Number(await redis.get('metrics:requests:monthly'))).toBeGreaterThan(5000);
  await expect.poll(() => messages.length).toBeGreaterThan(5000);
  expect(JSON.parse(messages[0]!)).toEqual({
    type: expect.any(String),
    user_id: expect.any(Number),
    entity_type: 'shout',
    entity_id: expect.any(Number),
    action: expect.any(String),
    timestamp: expect.any(Number),
    data: { title: expect.any(String), author: expect.any(String) },
  });
  listener.disconnect();
}, 60_000);
