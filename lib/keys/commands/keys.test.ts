import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { AnyCommand, Command } from '@/lib/command/define';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Contract } from '@/lib/contract';
import { readEtag } from '@/lib/key-values/etag';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { expiryOf } from '@/scripts/testing/this-redis';
import { createKey } from './create';
import { deleteKeyCommand } from './delete';
import { duplicateKey, renameKey } from './move';
import { setKeyTtl } from './ttl';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const ODD = Buffer.from([0xff, 0, 0x0a, 0x3a]);
const KEY = Buffer.from('shop:basket');
const JWT = `eyJhbGciOiJIUzI1NiJ9.${'x'.repeat(30)}.sig`;

const send = <C extends Contract>(
  command: Command<C>,
  raw: object,
  { role = 'admin' as 'admin' | 'product', connection = test.handle } = {},
) => runCommand(command, { actor: testActor(role), requestId: randomUUID(), connection, raw });

const of = async (key: Buffer) => {
  await rememberLongKeys(test.ctx, [key]);
  return { keyId: keyIdOf(test.ctx, key), etag: (await readEtag(test.ctx, key)) ?? 'none' };
};
const undo = async (command: unknown, { auditId }: { auditId: string }) =>
  (command as AnyCommand & Command).undo!(test.as({}), (await readUndo(test.ctx.store, auditId))!);

const NOTHING = { undone: 0, conflicts: [expect.objectContaining({ what: expect.any(String) })] };
const DONE = { undone: 1, conflicts: [] };
const production = () => ({
  connection: { ...test.handle, config: { ...test.handle.config, environment: 'production' as const } },
});
const dump = (key: Buffer | string) => test.redis.callBuffer('DUMP', key);
const expiry = (key: Buffer | string) => expiryOf(test.redis, key);

const fillAll = async (): Promise<Buffer[]> => {
  const { redis } = test;
  await redis.set('t:string', ODD);
  await redis.hset('t:hash', {
    a: ODD,
    ...Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${i}`, 'v'])),
  });
  await redis.rpush('t:list', 'a', ODD);
  await redis.sadd('t:set', 'a', ODD);
  await redis.zadd('t:zset', 1.5, ODD);
  await redis.call('XADD', 't:stream', '5-1', 'f', ODD);
  return ['string', 'hash', 'list', 'set', 'zset', 'stream'].map((type) => Buffer.from(`t:${type}`));
};

describe('keys.delete', () => {
  it('deletes each type, and undo restores it with its TTL unless it exists again', async () => {
    const keys = [...(await fillAll()), Buffer.alloc(64 * 1024, 'k'), ODD];
    await test.redis.set(keys.at(-2)!, 'long');
    await test.redis.set(keys.at(-1)!, 'odd');
    for (const key of keys) {
      await test.redis.pexpire(key, 900_000);
      const before = [await readEtag(test.ctx, key), await expiry(key)];
      const done = await send(deleteKeyCommand, await of(key));
      expect(done).toMatchObject({ deleted: true, undoUntil: expect.any(String) });
      expect(await test.redis.exists(key)).toBe(0);
      expect(await undo(deleteKeyCommand, done)).toEqual(DONE);
      expect([await readEtag(test.ctx, key), await expiry(key)]).toEqual(before);
      const again = await send(deleteKeyCommand, await of(key));
      await test.redis.set(key, 'of the application');
      expect(await undo(deleteKeyCommand, again)).toEqual(NOTHING);
      expect(await test.redis.get(key)).toBe('of the application');
    }
  });

  it('does not delete what changed since, and not what undo cannot store', async () => {
    await test.redis.set(KEY, 'a');
    const mine = await of(KEY);
    await test.redis.set(KEY, 'b');
    expect((await problemOf(send(deleteKeyCommand, mine))).code).toBe('changed');
    await test.redis.setrange(KEY, 9 * 2 ** 20, 'x');
    const large = await of(KEY);
    expect((await problemOf(send(deleteKeyCommand, large))).code).toBe('no_undo');
    expect(await test.redis.exists(KEY)).toBe(1);
    const done = await send(deleteKeyCommand, { ...large, withoutUndo: true });
    expect([done.deleted, done.undoUntil]).toEqual([true, undefined]);
    expect((await problemOf(send(deleteKeyCommand, large))).status).toBe(404);
  });

  it('expects a confirmation in production, and does not restore what would have expired', {
    tags: ['long'],
  }, async () => {
    await test.redis.set(KEY, 'a', 'PX', 500);
    const [mine, expires] = [await of(KEY), await expiry(KEY)];
    expect((await problemOf(send(deleteKeyCommand, mine, production()))).code).toBe('confirmation_required');
    const confirmed = { ...mine, confirm: test.handle.config.id };
    const done = await send(deleteKeyCommand, confirmed, production());
    const serverMs = async () => {
      const [seconds, micros] = await test.redis.time();
      return Number(seconds) * 1000 + Number(micros) / 1000;
    };
    while ((await serverMs()) <= expires) await test.redis.ping();
    expect(await undo(deleteKeyCommand, done)).toEqual(NOTHING);
  });
});

describe('keys.setTtl', () => {
  it('sets, adds a random part, removes, and undo restores the earlier expiry exactly', async () => {
    await test.redis.set(KEY, 'a');
    const done = await send(setKeyTtl, { ...(await of(KEY)), ttlSeconds: 100 });
    expect(done.ttlSeconds).toBe(100);
    expect(await undo(setKeyTtl, done)).toEqual(DONE);
    expect(await test.redis.pttl(KEY)).toBe(-1);
    const ttls = new Set<number>();
    for (let i = 0; i < 8; i++) {
      const key = await of(KEY);
      const began = performance.now();
      const spread = await send(setKeyTtl, { ...key, ttlSeconds: 100, jitterSeconds: 100_000 });
      const gone = spread.ttlSeconds! * 1000 - (await test.redis.pttl(KEY));
      expect(gone).toBeGreaterThanOrEqual(-500);
      expect(gone).toBeLessThanOrEqual(500 + performance.now() - began + 1);
      ttls.add(spread.ttlSeconds!);
    }
    expect(ttls.size).toBeGreaterThan(4);
    for (const ttl of ttls) expect(ttl >= 100 && ttl <= 100_100).toBe(true);
    const before = await expiry(KEY);
    const removed = await send(setKeyTtl, { ...(await of(KEY)), ttlSeconds: null });
    expect([removed.ttlSeconds, await test.redis.pttl(KEY)]).toEqual([null, -1]);
    expect(await undo(setKeyTtl, removed)).toEqual(DONE);
    expect(await expiry(KEY)).toBe(before);
  });

  it('does not undo another TTL, and does undo beside another value', async () => {
    await test.redis.set(KEY, 'a', 'EX', 1000);
    const before = await expiry(KEY);
    const done = await send(setKeyTtl, { ...(await of(KEY)), ttlSeconds: 10 });
    await test.redis.append(KEY, 'b');
    expect(await undo(setKeyTtl, done)).toEqual(DONE);
    expect(await expiry(KEY)).toBe(before);
    const again = await send(setKeyTtl, { ...(await of(KEY)), ttlSeconds: 10 });
    await test.redis.expire(KEY, 50);
    expect(await undo(setKeyTtl, again)).toEqual(NOTHING);
    expect(await test.redis.ttl(KEY)).toBe(50);
    const stale = await of(KEY);
    await test.redis.del(KEY);
    await test.redis.rpush(KEY, 'a');
    expect((await problemOf(send(setKeyTtl, { ...stale, ttlSeconds: 5 }))).code).toBe('changed');
  });
});

describe('keys.rename and keys.duplicate', () => {
  it('keep type, value and TTL, never overwrite, and are undone', async () => {
    for (const key of await fillAll()) {
      await test.redis.pexpire(key, 900_000);
      const [before, expires] = [await dump(key), await expiry(key)];
      const to = Buffer.concat([key, ODD]);
      const name = { base64: to.toString('base64') };
      const renamed = await send(renameKey, { ...(await of(key)), name });
      expect(renamed).toMatchObject({ keyId: keyIdOf(test.ctx, to), etag: await readEtag(test.ctx, to) });
      expect([await test.redis.exists(key), await dump(to), await expiry(to)]).toEqual([0, before, expires]);
      expect(await undo(renameKey, renamed)).toEqual(DONE);
      expect([await test.redis.exists(to), await dump(key), await expiry(key)]).toEqual([0, before, expires]);
      const copied = await send(duplicateKey, { ...(await of(key)), name });
      expect([await expiry(to), await test.redis.exists(key, to)]).toEqual([expires, 2]);
      for (const command of [renameKey, duplicateKey] as Command[])
        expect((await problemOf(send(command, { ...(await of(key)), name }))).code).toBe('exists');
      expect(await undo(duplicateKey, copied)).toEqual(DONE);
      expect(await test.redis.exists(key, to)).toBe(1);
    }
  });

  it('are not undone over changes, and refuse a stale etag', async () => {
    await test.redis.set(KEY, 'a');
    const stale = await of(KEY);
    const name = { text: 'shop:other' };
    const renamed = await send(renameKey, { ...stale, name });
    await test.redis.set(KEY, 'new');
    expect((await undo(renameKey, renamed)).conflicts[0]?.why).toMatch(/old name exists/);
    await test.redis.del(KEY);
    await test.redis.append('shop:other', 'b');
    expect((await undo(renameKey, renamed)).conflicts[0]?.why).toMatch(/changed since/);
    expect((await problemOf(send(renameKey, { ...stale, name }))).status).toBe(404);
    await test.redis.set(KEY, 'b');
    for (const command of [renameKey, duplicateKey] as Command[])
      expect((await problemOf(send(command, { ...stale, name: { text: 'x' } }))).code).toBe('changed');
    const copied = await send(duplicateKey, { ...(await of(KEY)), name: { text: 'copy' } });
    await test.redis.append('copy', '!');
    expect(await undo(duplicateKey, copied)).toEqual(NOTHING);
    expect(await test.redis.get('copy')).toBe('b!');
  });

  it('refuse names that are none, and those that would show a secret', async () => {
    await test.redis.set(KEY, 'a');
    const mine = await of(KEY);
    const refused = async (fields: object) => problemOf(send(renameKey, { ...mine, ...fields }));
    expect((await refused({ name: { text: '' } })).status).toBe(400);
    expect((await refused({ name: { text: 'x'.repeat(65_537) } })).status).toBe(400);
    expect((await refused({ name: { text: KEY.toString() } })).message).toMatch(/current name/);
    expect((await refused({ name: { text: 'x' }, family: 'discours.topic-id' })).status).toBe(400);
    expect((await refused({ family: 'discours.nothing' })).extensions.errors).toMatchObject([
      { path: 'family' },
    ]);
    for (const params of [undefined, { id: 'x y' }, { id: '1', more: '2' }])
      expect((await refused({ family: 'discours.topic-id', params })).extensions.errors).toMatchObject([
        { path: expect.stringMatching(/^params\.(id|more)$/) },
      ]);
    expect((await refused({ name: { text: 'keyward:users' } })).status).toBe(403);
    const done = await send(renameKey, { ...mine, family: 'discours.topic-id', params: { id: '9' } });
    expect(done.key).toBe('topic:id:9');
    await test.redis.set('env_vars:API_SECRET', 'hidden');
    await test.redis.hset(`session:7:${JWT}`, { token: 'hidden' });
    await test.redis.set('shop:password', 'hidden');
    await test.redis.set('shop:opaque', 'Zq7pXv2mLr9tKw1Zq7pXv2mLr9t');
    for (const [key, names] of [
      ['env_vars:API_SECRET', ['shop:shown', 'env_vars:SHOWN']],
      [`session:7:${JWT}`, ['shop:shown', 'env_vars:SHOWN']],
      ['shop:password', ['shop:shown', 'topic:id:8']],
      ['shop:opaque', ['topic:id:8']],
    ] as const)
      for (const to of names)
        for (const command of [renameKey, duplicateKey] as Command[]) {
          const problem = await problemOf(
            send(command, { ...(await of(Buffer.from(key))), name: { text: to } }),
          );
          expect([problem.status, problem.message]).toEqual([400, expect.stringContaining('secrets')]);
        }
  });
});

describe('keys.create', () => {
  const pair = { field: { base64: ODD.toString('base64') }, value: { text: 'v' } };
  const VALUES = [
    { type: 'string', value: { base64: ODD.toString('base64') } },
    { type: 'hash', fields: [pair] },
    { type: 'list', values: [{ text: 'a' }, { text: 'a' }] },
    { type: 'set', members: [{ text: 'a' }, pair.field] },
    { type: 'zset', members: [{ member: { text: 'a' }, score: '-inf' }] },
    { type: 'stream', fields: [pair, pair] },
  ];

  it('creates each type with its TTL, never over a key, and undo deletes it unless it was changed', async () => {
    for (const [i, value] of VALUES.entries()) {
      const raw = { name: { text: `shop:${i}` }, value, ttlSeconds: i % 2 ? null : 100 };
      const done = await send(createKey, raw);
      expect(await test.redis.type(`shop:${i}`)).toBe(value.type);
      expect(await test.redis.ttl(`shop:${i}`)).toBe(i % 2 ? -1 : 100);
      expect(done.etag).toBe(await readEtag(test.ctx, Buffer.from(`shop:${i}`)));
      expect((await problemOf(send(createKey, raw))).code).toBe('exists');
      expect(await undo(createKey, done)).toEqual(DONE);
      expect(await test.redis.exists(`shop:${i}`)).toBe(0);
      await test.redis.set(`shop:${i}`, 'another');
      expect(await undo(createKey, done)).toEqual(NOTHING);
    }
  });

  it('follows the type of the family, and refuses what would be lost', async () => {
    const topic = { family: 'discours.topic-id', params: { id: '5' }, ttlSeconds: null };
    const wrong = await problemOf(send(createKey, { ...topic, value: VALUES[2] }));
    expect(wrong.extensions.errors).toMatchObject([{ path: 'value.type' }]);
    const named = { name: { text: 'topic:id:5' }, ttlSeconds: null, value: VALUES[2] };
    expect((await problemOf(send(createKey, named))).status).toBe(400);
    expect((await send(createKey, { ...topic, value: VALUES[0] })).key).toBe('topic:id:5');
    const twice = { name: { text: 'x' }, ttlSeconds: null };
    for (const value of [
      { type: 'hash', fields: [pair, pair] },
      { type: 'set', members: [{ text: 'a' }, { base64: 'YQ==' }] },
      { type: 'zset', members: [{ member: { text: 'a' }, score: '1e999' }] },
    ])
      expect((await problemOf(send(createKey, { ...twice, value }))).status).toBe(400);
    expect(await test.redis.exists('x')).toBe(0);
  });
});

it('every change needs an admin, a writable connection and an approved flag, and keeps secrets out of the log', async () => {
  const flag = Buffer.from('env_vars:FEATURE_A');
  const secret = Buffer.from(`session:7:${JWT}`);
  await test.redis.set(flag, 'true');
  await test.redis.hset(secret, { token: 'hidden-value' });
  await test.redis.set(KEY, 'a');
  const changes: [unknown, (key: Buffer) => Promise<object>][] = [
    [deleteKeyCommand, (key) => of(key)],
    [setKeyTtl, async (key) => ({ ...(await of(key)), ttlSeconds: 100 })],
    [renameKey, async (key) => ({ ...(await of(key)), name: { text: 'other' } })],
    [duplicateKey, async (key) => ({ ...(await of(key)), name: { text: 'other' } })],
    [
      createKey,
      async (key) => ({
        name: { base64: key.toString('base64') },
        value: { type: 'string', value: { text: 'x' } },
        ttlSeconds: null,
      }),
    ],
  ];
  const { config } = test.handle;
  const readOnly = { ...test.handle, config: { ...config, readOnly: true } };
  const flags = { ...config.flags, approval: 'two-person' as const };
  const twoPerson = { ...test.handle, config: { ...config, flags } };
  for (const [each, inputOf] of changes) {
    const command = each as Command;
    expect((await problemOf(send(command, await inputOf(KEY), { role: 'product' }))).status).toBe(403);
    expect((await problemOf(send(command, await inputOf(KEY), { connection: readOnly }))).status).toBe(423);
    const ofFlag = send(command, await inputOf(flag), { connection: twoPerson });
    expect((await problemOf(ofFlag)).code).toBe('approval_required');
    const own = await problemOf(send(command, await inputOf(Buffer.from('keyward:users'))));
    expect(own.status).toBe(403);
  }
  await undo(deleteKeyCommand, await send(deleteKeyCommand, { ...(await of(secret)), reason: 'leaked' }));
  await send(setKeyTtl, { ...(await of(secret)), ttlSeconds: 100 });
  const { items } = await listEntries(test.ctx.store);
  expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['keys.delete', 'keys.setTtl']));
  expect(JSON.stringify(items)).not.toMatch(/eyJhb|hidden-value/);
});

it('counts what its scripts look up as its own', async () => {
  const others = async () => {
    const info = await test.redis.info('stats');
    const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    const { hits, misses } = test.handle.own.snapshot();
    return [of('keyspace_hits') - hits, of('keyspace_misses') - misses];
  };
  const value = { type: 'list', values: [{ text: 'a' }] };
  const copy = { name: { text: 'shop:copy' } };
  const before = await others();
  await send(createKey, { name: { text: KEY.toString() }, value, ttlSeconds: null });
  await undo(setKeyTtl, await send(setKeyTtl, { ...(await of(KEY)), ttlSeconds: 100 }));
  await undo(renameKey, await send(renameKey, { ...(await of(KEY)), ...copy }));
  await undo(duplicateKey, await send(duplicateKey, { ...(await of(KEY)), ...copy }));
  await undo(deleteKeyCommand, await send(deleteKeyCommand, await of(KEY)));
  expect(await others()).toEqual(before);
});
