import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { scanAll } from '@/scripts/testing/scan-all';
import { type RedisServer, startRedis } from '../../redis-server.mjs';
import { live } from '../live';
import { DAMAGE } from './damage';
import { SOCIAL_RATES } from './live';
import { seedSocial } from './seed';

let server: RedisServer;
let redis: Redis;
let dir: string;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  dir = mkdtempSync(join(tmpdir(), 'keyward-social-'));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

const START = Date.UTC(2026, 0, 15, 12);
const catalog = catalogFor(['qianxun', 'minidouyin']);

/** Every key with its type and elements, read in the plainest way: what the ledger is compared with. */
interface Stored {
  type: string;
  family: string;
  params: Record<string, string>;
  members: string[];
  fields: Record<string, string>;
}
type Keyspace = Map<string, Stored>;

const membersOf = (db: Redis, key: Buffer, type: string): Promise<string[]> => {
  if (type === 'set') return db.smembers(key);
  if (type === 'zset') return db.zrange(key, '0', '-1');
  return type === 'list' ? db.lrange(key, 0, -1) : Promise.resolve([]);
};

const readAll = async (db: Redis): Promise<Keyspace> => {
  const read = async (key: Buffer): Promise<[string, Stored]> => {
    const type = await db.type(key);
    const match = catalog.classify(key);
    const members = await membersOf(db, key, type);
    const fields = type === 'hash' ? await db.hgetall(key) : {};
    const params = match.family ? { ...match.params } : {};
    return [String(key), { type, family: match.family?.id ?? 'none', params, members, fields }];
  };
  return new Map(await Promise.all((await scanAll(db)).map(read)));
};

const add = (counts: Record<string, number>, family: string, count = 1): void => {
  if (count > 0) counts[family] = (counts[family] ?? 0) + count;
};

/** Family of sets → the key a member names, and the key of the other side with the member it must have. */
const TARGETS: Record<string, (member: string) => string> = {
  'qianxun.groups': (id) => `user:${id}`,
  'qianxun.activity-participants': (id) => `user:${id}`,
  'qianxun.activity-own': (id) => `activity:${id}`,
  'qianxun.activity-in': (id) => `activity:${id}`,
  'qianxun.chatgrp-list': (id) => `user:${id}`,
  'minidouyin.follows': (id) => id,
  'minidouyin.followers': (id) => id,
  'minidouyin.friendlist': (id) => id,
  'minidouyin.user-like': (id) => `video_${id}`,
  'minidouyin.publish': (id) => `video_${id}`,
  'minidouyin.video-comment': (id) => `comment_${id}`,
  'minidouyin.chatrec': (id) => `content_${id}`,
  'minidouyin.msg-record': (id) => `msg_${id}`,
};
const INVERSES: Record<string, (member: string) => string> = {
  'qianxun.activity-participants': (id) => `activity:${id}:in`,
  'qianxun.activity-in': (id) => `activity:${id}:participants`,
  'minidouyin.follows': (id) => `followers_${id}`,
  'minidouyin.followers': (id) => `follows_${id}`,
  'minidouyin.friendlist': (id) => `friendlist_${id}`,
};
const COUNTED: Record<string, [owner: (id: string) => string, field: string]> = {
  'minidouyin.follows': [(id) => id, 'FollowCount'],
  'minidouyin.followers': [(id) => id, 'FollowerCount'],
  'minidouyin.user-like': [(id) => id, 'FavoriteCount'],
  'minidouyin.publish': [(id) => id, 'WorkCount'],
  'minidouyin.video-comment': [(id) => `video_${id}`, 'CommentCount'],
};
const DOCUMENTED = new Set([...Object.keys(TARGETS), 'qianxun.interests']);

const countDamage = (keyspace: Keyspace) => {
  const [dangling, oneSided, notStored, partial, wrongType]: Record<string, number>[] = [{}, {}, {}, {}, {}];
  const isRecord = (key: string) => keyspace.get(key)?.type === 'hash';
  for (const { family, type, params, members, fields } of keyspace.values()) {
    if (DOCUMENTED.has(family) && type === 'hash') add(wrongType!, family);
    const owner = Object.values(params)[0] ?? '';
    for (const member of members) {
      const target = TARGETS[family]?.(member);
      if (target === undefined) continue;
      if (!isRecord(target)) add(dangling!, family);
      const inverse = isRecord(target) && INVERSES[family]?.(member);
      if (!inverse) continue;
      const other = keyspace.get(inverse);
      if (!other) add(notStored!, family);
      else if (!other.members.includes(owner)) add(oneSided!, family);
    }
    const counted = COUNTED[family];
    const [ownerKey, field] = counted ?? [() => '', ''];
    const count = Number(keyspace.get(ownerKey(owner))?.fields[field] ?? 0);
    if (counted && type !== 'hash' && members.length < count) add(partial!, family);
    if (
      family === 'minidouyin.comment' &&
      !keyspace.get(`video_comment_${fields.VideoId}`)?.members.includes(owner)
    )
      add(oneSided!, family);
    if (family === 'minidouyin.video' && !isRecord(fields.Author!)) add(dangling!, family);
  }
  return { dangling, oneSided, oneSidedNotStored: notStored, partial, wrongType };
};

it('makes the same state from the same seed, known to the catalog but for what is damaged', async () => {
  const other = new Redis(server.url, { db: 1 });
  const tokensFile = join(dir, 'tokens');
  await seedSocial(redis, { seed: 7, now: () => START, tokensFile });
  await seedSocial(other, { seed: 7, now: () => START });
  const keys = await scanAll(redis);
  expect((await scanAll(other)).map(String)).toEqual(keys.map(String));
  await other.flushdb();
  other.disconnect();
  expect(keys.length).toBeGreaterThan(3000);
  expect(keys.length).toBeLessThan(7000);
  const families = new Map<string, number>();
  const tokens = new Set(readFileSync(tokensFile, 'utf8').trim().split('\n'));
  for (const key of keys) {
    const { family } = catalog.classify(key);
    families.set(family?.id ?? 'none', (families.get(family?.id ?? 'none') ?? 0) + 1);
    if (family?.id === 'minidouyin.user-token' && String(key) !== 'users-online')
      expect(tokens).toContain(String(key));
  }
  expect(families.get('none')).toBe(DAMAGE.unclassified);
  const documented = catalog.families.filter(
    // A channel is no key.
    ({ app, type }) => (app === 'qianxun' || app === 'minidouyin') && type !== 'channel',
  );
  expect(documented.map(({ id }) => id).filter((id) => !families.has(id))).toEqual([]);
});

it('damages as often as the ledger says', async () => {
  await redis.flushdb();
  await seedSocial(redis, { seed: 1 });
  const keyspace = await readAll(redis);
  const damage = countDamage(keyspace);
  expect(damage.dangling).toEqual(DAMAGE.dangling);
  expect(damage.oneSided).toEqual(DAMAGE.oneSided);
  expect(damage.oneSidedNotStored).toEqual(DAMAGE.oneSidedNotStored);
  expect(damage.partial).toEqual(DAMAGE.partial);
  expect(damage.wrongType).toEqual(DAMAGE.wrongType);
  const online = keyspace.get('onlines')!.members;
  expect(online.filter((id) => !keyspace.has(`user:${id}`))).toHaveLength(DAMAGE.withoutProfile);
  const texts = [...keyspace.values()].filter(({ family }) => /\.(message|topic|chatgrp-msg)$/.test(family));
  const withoutSeparator = texts.flatMap(({ members }) => members).filter((text) => !text.includes('|'));
  expect(withoutSeparator).toHaveLength(DAMAGE.withoutSeparator);
  const bare = [...keyspace.values()].filter(({ family }) => /^minidouyin\.user(-token)?$/.test(family));
  expect(bare.filter(({ type }) => type !== 'hash')).toHaveLength(DAMAGE.noUser);
  for (const [family, type] of [
    ['minidouyin.user-like', 'zset'],
    ['minidouyin.friendlist', 'zset'],
  ])
    expect(
      new Set(
        [...keyspace.values()]
          .filter((stored) => stored.family === family && stored.type !== 'hash')
          .map((stored) => stored.type),
      ),
    ).toEqual(new Set([type]));
});

it('continues with hits and misses, and damages nothing more', async () => {
  await redis.flushdb();
  const world = await seedSocial(redis, { seed: 3 });
  await redis.config('RESETSTAT');
  const started = performance.now();
  const ending = new AbortController();
  const trouble: (string | null)[] = [];
  const running = live(redis, world, SOCIAL_RATES, ending.signal, (message) => trouble.push(message));
  await expect.poll(() => world.hits, { timeout: 20_000 }).toBeGreaterThan(200);
  ending.abort();
  await running;
  const commands = Number(/total_commands_processed:(\d+)/.exec(await redis.info())?.[1]);
  expect(commands / ((performance.now() - started) / 1000)).toBeLessThan(200);
  expect(trouble).toEqual([]);
  expect(world.misses).toBeGreaterThan(0);
  const damage = countDamage(await readAll(redis));
  expect(damage).toMatchObject({
    oneSided: DAMAGE.oneSided,
    dangling: DAMAGE.dangling,
    partial: DAMAGE.partial,
  });
});
