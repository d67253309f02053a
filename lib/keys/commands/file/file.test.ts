import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { crc64, dumpProblem } from '@/lib/key-values/dump';
import { readEtag } from '@/lib/key-values/etag';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { expiryOf } from '@/scripts/testing/this-redis';
import { exportKeysCommand } from './export';
import { importKeysCommand } from './import';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk', 'minidouyin'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const ODD = Buffer.from([0xff, 0, 0x0a, 0x3a]);
const JWT = `eyJhbGciOiJIUzI1NiJ9.${'x'.repeat(30)}.sig`;

const call = (role: 'admin' | 'product', connection: TestContext['handle'], raw: object) => ({
  actor: testActor(role),
  requestId: randomUUID(),
  connection,
  raw,
});
const exportOf = async (
  keys: readonly Buffer[],
  role: 'admin' | 'product' = 'admin',
  handle = test.handle,
) => {
  await rememberLongKeys(test.ctx, keys);
  const keyIds = keys.map((key) => keyIdOf(test.ctx, key));
  return runCommand(exportKeysCommand, call(role, handle, { keyIds }));
};
const importFile = (raw: object, role: 'admin' | 'product' = 'admin', handle = test.handle) =>
  runCommand(importKeysCommand, call(role, handle, raw));
const undo = async ({ auditId }: { auditId: string | null }) =>
  importKeysCommand.undo!(test.as({}), (await readUndo(test.ctx.store, auditId!))!);

const names = (...keys: string[]) => keys.map((key) => Buffer.from(key));
const dump = async (key: string | Buffer) => (await test.redis.callBuffer('DUMP', key)) as Buffer;
const HEADER = '{"format":"keyward-keys","v":1}';
const line = (key: string | Buffer, value: Buffer, more: object = {}) =>
  JSON.stringify({
    v: 1,
    key: Buffer.from(key).toString('base64'),
    expiresAt: null,
    type: 'string',
    dump: value.toString('base64'),
    ...more,
  });
const statuses = ({ rows }: { rows: { status: string }[] }) => rows.map(({ status }) => status);

const fillAll = async (): Promise<Buffer[]> => {
  const { redis } = test;
  await redis.set('t:string', 'a', 'PX', 900_000);
  await redis.hset('t:hash', Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`${i}`, 'v'])));
  await redis.rpush('t:list', 'a', 'b');
  await redis.sadd('t:set', ...Array.from({ length: 300 }, (_, i) => `m${i}`));
  await redis.zadd('t:zset', 1.5, 'm');
  await redis.call('XADD', 't:stream', '5-1', 'f', 'v');
  await redis.set(ODD, 'odd');
  return [...names('t:string', 't:hash', 't:list', 't:set', 't:zset', 't:stream'), ODD];
};

it('a file holds every type, any name and the expiry, and restores them elsewhere', {
  tags: ['long'],
}, async () => {
  const keys = await fillAll();
  const etags = () => Promise.all(keys.map((key) => readEtag(test.ctx, key)));
  const [before, expires] = [await etags(), await expiryOf(test.redis, 't:string')];
  const { file, keys: count, skipped } = await exportOf(keys);
  expect([count, skipped]).toEqual([keys.length, []]);
  await test.redis.flushall();
  const preview = await importFile({ file, dryRun: true });
  expect(statuses(preview)).toEqual(keys.map(() => 'new'));
  expect([preview.auditId, await test.redis.dbsize()]).toEqual([null, 0]);
  const done = await importFile({ file });
  expect([done.restored, ...statuses(done)]).toEqual([keys.length, ...keys.map(() => 'restored')]);
  expect(await etags()).toEqual(before);
  expect(Math.abs((await expiryOf(test.redis, 't:string')) - expires)).toBeLessThan(1000);
  expect(statuses(await importFile({ file }))).toEqual(keys.map(() => 'exists'));
  await test.redis.set('t:list', 'changed', 'KEEPTTL').catch(() => undefined);
  await test.redis.set(ODD, 'changed');
  const undone = await undo(done);
  expect([undone.undone, undone.conflicts.length]).toEqual([keys.length - 2, 2]);
  expect((await test.redis.keysBuffer('*')).length).toBe(2);
});

it('keeps vector sets with what is attached to elements, where the server has them', async ({ skip }) => {
  const added = await test.redis
    .call('VADD', 'shop:words', 'VALUES', '2', '0.5', '-1', 'apple', 'SETATTR', '{"color":"red"}')
    .catch(() => null);
  skip(added === null, 'this server has no vector sets');
  await test.redis.call(
    'VADD',
    'shop:other',
    'VALUES',
    '2',
    '1',
    '1',
    'b',
    'SETATTR',
    '{"password":"hunter2"}',
  );
  const { file, skipped } = await exportOf(names('shop:words', 'shop:other'));
  expect(skipped).toEqual([{ key: 'shop:other', why: 'secret' }]);
  const before = await dump('shop:words');
  await test.redis.flushall();
  const done = await importFile({ file });
  expect(done).toMatchObject({ restored: 1, rows: [{ type: 'vectorset', status: 'restored' }] });
  expect(await dump('shop:words')).toEqual(before);
  expect(await undo(done)).toMatchObject({ undone: 1 });
});

it('keeps the TTLs of fields, where the server has them', async ({ skip }) => {
  await test.redis.hset('shop:basket', { lasting: '1', ending: '2' });
  const expires = () => test.redis.call('HPEXPIRETIME', 'shop:basket', 'FIELDS', '2', 'lasting', 'ending');
  const set = await test.redis
    .call('HEXPIRE', 'shop:basket', '1000', 'FIELDS', '1', 'ending')
    .catch(() => null);
  skip(set === null, 'this server has no TTLs of fields');
  const before = await expires();
  const { file } = await exportOf(names('shop:basket'));
  await test.redis.flushall();
  await importFile({ file });
  expect(await expires()).toEqual(before);
});

it('replaces only what it has a copy of, and undo restores it unless it was changed', async () => {
  await test.redis.set('shop:a', 'new');
  await test.redis.set('shop:b', 'new');
  const { file } = await exportOf(names('shop:a', 'shop:b'));
  await test.redis.set('shop:a', 'old', 'EX', 1000);
  await test.redis.del('shop:b');
  await test.redis.hset('shop:b', { old: '1' });
  const preview = await importFile({ file, replace: true, dryRun: true });
  expect(statuses(preview)).toEqual(['replace', 'replace']);
  const done = await importFile({ file, replace: true });
  expect(await test.redis.mget('shop:a', 'shop:b')).toEqual(['new', 'new']);
  await test.redis.append('shop:a', '!');
  expect(await undo(done)).toMatchObject({ undone: 1, conflicts: [{ what: 'shop:a' }] });
  expect([await test.redis.get('shop:a'), await test.redis.hgetall('shop:b')]).toEqual([
    'new!',
    { old: '1' },
  ]);
  // Its DUMP would be that of a short string, its memory is not.
  await test.redis.setrange('shop:a', 9 * 2 ** 20, 'x');
  const refused = await importFile({ file, replace: true });
  expect(statuses(refused)).toEqual(['refused', 'restored']);
  expect(await test.redis.strlen('shop:a')).toBe(9 * 2 ** 20 + 1);
});

it('leaves out what is or looks like a secret, what is gone, and what is too large', {
  tags: 'long',
}, async () => {
  const { redis } = test;
  const secret = gzipSync('{"user":{"password":"pw"}}');
  await redis.hset(`session:7:${JWT}`, { token: 'x' });
  await redis.set('env_vars:PLAIN', 'x');
  await redis.set(`shop:${JWT}`, 'x');
  await redis.set('shop:jwt', `cached ${JWT}`);
  await redis.set('shop:json', '{"user":{"password":"pw"}}');
  await redis.set('shop:binary', secret);
  await redis.hset('shop:hash', { api_token: 'short' });
  await redis.rpush('shop:list', ...Array.from({ length: 1500 }, () => 'x'), JWT);
  await redis.call('XADD', 'shop:stream', '*', 'secret_key', 'x');
  await redis.hset('toni123456', {
    ID: '4',
    Username: 'toni',
    Passwd: '123456',
    Token: 't',
    FollowCount: '0',
  });
  const secrets = names(
    `session:7:${JWT}`,
    'env_vars:PLAIN',
    `shop:${JWT}`,
    'shop:jwt',
    'shop:json',
    'shop:binary',
    'shop:hash',
    'shop:list',
    'shop:stream',
    'toni123456',
  );
  await redis.set('shop:large', Buffer.alloc(2 ** 20 + 1, 'a'));
  await redis.set('topic:id:1', '{"title":"A topic"}');
  const rest = names('shop:gone', 'shop:large', 'topic:id:1');
  const { file, keys, skipped } = await exportOf([...secrets, ...rest]);
  expect(skipped.map(({ why }) => why)).toEqual([...secrets.map(() => 'secret'), 'missing', 'tooLarge']);
  expect(keys).toBe(1);
  expect(file.split('\n')).toHaveLength(3);
  expect(JSON.stringify(skipped)).not.toContain('eyJ');
  // In total it stays below what an import takes.
  const many = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const noise = Array.from(
        { length: 33_000 },
        () => `${Math.random().toString(36).slice(2, 12)} cats and dogs`,
      );
      await redis.set(`topic:id:1${i}`, noise.join(' ').slice(0, 900_000));
      return Buffer.from(`topic:id:1${i}`);
    }),
  );
  await redis.config('SET', 'rdbcompression', 'no');
  const large = await exportOf(many);
  await redis.config('SET', 'rdbcompression', 'yes');
  expect(Buffer.byteLength(JSON.stringify({ file: large.file }))).toBeLessThan(16 * 2 ** 20);
  expect(large.skipped.every(({ why }) => why === 'tooLarge')).toBe(true);
  expect(large.keys + large.skipped.length).toBe(20);
  expect(large.skipped.length).toBeGreaterThan(0);
});

describe('a file from elsewhere', () => {
  it('is refused unless it is one', async () => {
    for (const file of ['', '\0\0', '[]', 'null', '{}', `${'['.repeat(10_000)}`, '{"format":"x","v":1}'])
      expect((await problemOf(importFile({ file }))).extensions.errors).toMatchObject([{ path: 'file' }]);
    const newer = await problemOf(importFile({ file: '{"format":"keyward-keys","v":2}' }));
    expect(newer.message).toMatch(/newer version/);
    const many = [HEADER, ...Array.from({ length: 1001 }, () => '{}')].join('\n');
    expect((await problemOf(importFile({ file: many }))).message).toMatch(/at most 1000/);
    expect((await importFile({ file: `\n\r\n${HEADER}\r\n\r\n`, dryRun: true })).rows).toEqual([]);
  });

  it('gets a reason for each line that cannot be restored, and the rest is', async () => {
    await test.redis.set('x', 'value');
    const [value, list] = [await dump('x'), await test.redis.rpush('l', 'a').then(() => dump('l'))];
    await test.redis.flushall();
    const damaged = Buffer.from(value);
    damaged[3]! ^= 1;
    const future = Buffer.from(value);
    future.writeUInt16LE(60_000, future.length - 10);
    crc64(future.subarray(0, -8)).copy(future, future.length - 8);
    const lines: [string, RegExp | null, string][] = [
      [line('good', value), null, 'restored'],
      [line('good', value), /twice/, 'refused'],
      ['not json', /Not JSON/, 'refused'],
      [line('cut', value).slice(0, 30), /truncated/, 'refused'],
      [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, /Not an exported key|version/, 'refused'],
      [line('v', value, { v: 2 }), /another version/, 'refused'],
      [line('k', value, { key: '%%' }), /not base64/, 'refused'],
      [line('k', value, { key: 7 }), /not base64/, 'refused'],
      [line('t', value, { type: '<b>' }), /type/, 'refused'],
      [line('t', list), /is a list/, 'refused'],
      [line('d', damaged), /checksum/, 'refused'],
      [line('d', value.subarray(0, 5)), /truncated/, 'refused'],
      [line('f', future), /newer server/, 'refused'],
      [line('e', value, { expiresAt: 1 }), null, 'expired'],
      [line('e2', value, { expiresAt: 'soon' }), /not a time/, 'refused'],
      [line('keyward:users', value), /own keys/, 'refused'],
      [line('env_vars:X', value), /Sessions, tokens/, 'refused'],
      [line(`session:7:${JWT}`, value), /Sessions, tokens/, 'refused'],
      [line('', value), /missing/, 'refused'],
      [line('last', value, { expiresAt: Date.now() + 100_000 }), null, 'restored'],
    ];
    const done = await importFile({ file: [HEADER, ...lines.map(([text]) => text)].join('\n') });
    for (const [i, [, reason, status]] of lines.entries()) {
      expect(done.rows[i], `${i}`).toMatchObject({ line: i + 2, status });
      expect(done.rows[i]!.reason, `${i}`).toEqual(reason ? expect.stringMatching(reason) : null);
    }
    expect((await test.redis.keys('*')).sort()).toEqual(['good', 'last']);
    expect(JSON.stringify([done, (await listEntries(test.ctx.store)).items])).not.toContain('eyJ');
    expect((await undo(done)).undone).toBe(2);
    expect(await test.redis.dbsize()).toBe(0);
  });
});

it('a server that fails half-way leaves what it restored undoable', { tags: ['long'] }, async () => {
  const keys = await Promise.all(
    Array.from({ length: 120 }, async (_, i) => {
      await test.redis.set(`topic:id:${i}`, 'x'.repeat(100));
      return Buffer.from(`topic:id:${i}`);
    }),
  );
  const { file } = await exportOf(keys);
  await test.redis.flushall();
  const { writer } = test.ctx;
  let calls = 0;
  const failing: typeof writer.runAlone = async (script, keys, args) => {
    calls += 1;
    if (calls === 2) await test.redis.config('SET', 'maxmemory', 1);
    return writer.runAlone(script, keys, args);
  };
  const ctx = { ...test.as({ auditId: randomUUID() }), writer: { ...writer, runAlone: failing } };
  const input = importKeysCommand.contract.input.parse({ file });
  const done = await importKeysCommand.run(ctx, input);
  await test.redis.config('SET', 'maxmemory', 0);
  expect(done.result.restored).toBe(50);
  expect(done.result.rows[60]).toMatchObject({
    status: 'refused',
    reason: expect.stringContaining('memory'),
  });
  expect((await importKeysCommand.undo!(test.as({}), done.undo!)).undone).toBe(50);
});

it('both are for admins; an export works through a read-only connection, an import does not', async () => {
  await test.redis.set('shop:a', 'x');
  const readOnly = { ...test.handle, config: { ...test.handle.config, readOnly: true } };
  const production = {
    ...test.handle,
    config: { ...test.handle.config, environment: 'production' as const },
  };
  expect((await problemOf(exportOf(names('shop:a'), 'product'))).status).toBe(403);
  const { file, keys } = await exportOf(names('shop:a'), 'admin', readOnly);
  expect(keys).toBe(1);
  expect((await problemOf(importFile({ file }, 'product'))).status).toBe(403);
  expect((await problemOf(importFile({ file }, 'admin', readOnly))).status).toBe(423);
  expect((await problemOf(importFile({ file }, 'admin', production))).code).toBe('confirmation_required');
  expect(statuses(await importFile({ file, dryRun: true }, 'admin', readOnly))).toEqual(['exists']);
  const [entry] = (await listEntries(test.ctx.store)).items;
  expect((await listEntries(test.ctx.store)).items.map(({ action }) => action)).toContain('keys.export');
  expect(JSON.stringify(entry)).not.toContain(file.split('\n')[1]);
});

it('checks a DUMP as Redis does', async () => {
  // Little endian; the value is that of Redis' own test.
  expect(crc64(Buffer.from('123456789')).toString('hex')).toBe('cad9b8c414d9c6e9');
  for (const key of await fillAll()) {
    const value = await dump(key);
    expect(dumpProblem(value, await test.redis.type(key))).toBeNull();
  }
});
