import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { WireInput } from '@/lib/contract';
import { cutOf, type ElementParts, elementIdOf, readEtag } from '@/lib/key-values/etag';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { expiryOf } from '@/scripts/testing/this-redis';
import type { keyContracts } from '../schema';
import { updateKey } from './update';

type Edit = WireInput<typeof keyContracts.update>['edit'];

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const ODD = Buffer.from([0xff, 0, 0x0a, 0x3a]);
const text = (value: string) => ({ text: value });
const odd = { base64: ODD.toString('base64') };

/** Keys without a family, so that nothing of them is masked. */
const KEY = 'shop:basket';

const partsOf = async (key: Buffer, edit: Edit): Promise<ElementParts | null> => {
  const bytes = (given: { text?: string; base64?: string } | unknown): Buffer => {
    const { text: plain, base64 } = given as { text?: string; base64?: string };
    return plain === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(plain);
  };
  if ('entryId' in edit) return { entryId: edit.entryId };
  if ('index' in edit) {
    const value = await test.redis.lindexBuffer(key, edit.index).catch(() => null);
    return { index: edit.index, value: cutOf(value ?? Buffer.alloc(0)) };
  }
  if ('member' in edit) {
    const member = bytes(edit.member);
    const type = await test.redis.type(key);
    const score = type === 'zset' ? await test.redis.zscore(key, member) : null;
    return { member: cutOf(member), ...(score === null ? {} : { score }) };
  }
  if (!('field' in edit)) return null;
  const field = bytes(edit.field);
  const value = await test.redis.hgetBuffer(key, field).catch(() => null);
  return { field: cutOf(field), value: cutOf(value ?? Buffer.alloc(0)) };
};

/** The edit with the id of its element as it is now, and the etag of the key. */
const requestOf = async (edit: Record<string, unknown>, key: Buffer = Buffer.from(KEY)) => {
  const parts = 'element' in edit ? await partsOf(key, edit as Edit) : null;
  const element = parts ? { element: elementIdOf(test.ctx, key, parts) } : {};
  await rememberLongKeys(test.ctx, [key]);
  return {
    keyId: keyIdOf(test.ctx, key),
    etag: (await readEtag(test.ctx, key)) ?? 'none',
    edit: { ...edit, ...element },
  };
};

const send = (raw: object, role: 'admin' | 'product' = 'admin', connection = test.handle) =>
  runCommand(updateKey, { actor: testActor(role), requestId: randomUUID(), connection, raw });
const edit = async (change: Record<string, unknown>, key?: Buffer) => send(await requestOf(change, key));
const undo = async ({ auditId }: { auditId: string }) =>
  updateKey.undo!(test.as({}), (await readUndo(test.ctx.store, auditId))!);

/** The key as DUMP writes it, and its expiry. */
const state = async (): Promise<unknown[]> => [
  await test.redis.callBuffer('DUMP', KEY),
  await expiryOf(test.redis, KEY),
];

const fill: Record<string, () => Promise<unknown>> = {
  string: () => test.redis.set(KEY, Buffer.from('abc')),
  hash: () => test.redis.hset(KEY, { name: 'Ann', size: '3' }),
  list: () => test.redis.rpush(KEY, 'a', 'b', 'a', 'c'),
  set: () => test.redis.sadd(KEY, 'red', ODD),
  zset: () => test.redis.call('ZADD', KEY, 1.5, 'red', 2, ODD),
  stream: () => test.redis.call('XADD', KEY, '5-1', 'a', '1', 'b', ODD),
};

const EDITS: [string, Record<string, unknown>, () => Promise<unknown>, unknown][] = [
  ['string', { op: 'setString', value: odd }, () => test.redis.getBuffer(KEY), ODD],
  ['string', { op: 'setBit', offset: 1, bit: 0 }, () => test.redis.get(KEY), '!bc'],
  ['string', { op: 'setBit', offset: 39, bit: 1 }, () => test.redis.get(KEY), 'abc\0\x01'],
  ['hash', { op: 'addField', field: odd, value: odd }, () => test.redis.hgetBuffer(KEY, ODD), ODD],
  [
    'hash',
    { op: 'setField', element: '', field: text('name'), value: odd },
    () => test.redis.hgetBuffer(KEY, 'name'),
    ODD,
  ],
  [
    'hash',
    { op: 'renameField', element: '', field: text('name'), to: odd },
    () => test.redis.hmgetBuffer(KEY, 'name', ODD),
    [null, Buffer.from('Ann')],
  ],
  [
    'hash',
    { op: 'removeField', element: '', field: text('name') },
    () => test.redis.hgetall(KEY),
    { size: '3' },
  ],
  [
    'list',
    { op: 'setAt', element: '', index: 1, value: text('B') },
    () => test.redis.lrange(KEY, 0, -1),
    ['a', 'B', 'a', 'c'],
  ],
  ['list', { op: 'removeAt', element: '', index: 2 }, () => test.redis.lrange(KEY, 0, -1), ['a', 'b', 'c']],
  ['list', { op: 'removeAt', element: '', index: 3 }, () => test.redis.lrange(KEY, 0, -1), ['a', 'b', 'a']],
  ['list', { op: 'removeAt', element: '', index: 0 }, () => test.redis.lrange(KEY, 0, -1), ['b', 'a', 'c']],
  ['list', { op: 'push', end: 'head', value: odd }, () => test.redis.lindexBuffer(KEY, 0), ODD],
  ['list', { op: 'push', end: 'tail', value: text('z') }, () => test.redis.lindex(KEY, -1), 'z'],
  ['set', { op: 'addMember', member: text('blue') }, () => test.redis.sismember(KEY, 'blue'), 1],
  [
    'set',
    { op: 'renameMember', element: '', member: odd, to: text('blue') },
    async () => (await test.redis.smembers(KEY)).sort(),
    ['blue', 'red'],
  ],
  ['set', { op: 'removeMember', element: '', member: odd }, () => test.redis.smembers(KEY), ['red']],
  [
    'zset',
    { op: 'addMember', member: text('blue'), score: '-inf' },
    () => test.redis.zscore(KEY, 'blue'),
    '-inf',
  ],
  [
    'zset',
    { op: 'renameMember', element: '', member: odd, to: text('blue') },
    () => test.redis.zrange(KEY, '0', '-1', 'WITHSCORES'),
    ['red', '1.5', 'blue', '2'],
  ],
  [
    'zset',
    { op: 'setScore', element: '', member: odd, score: '1e3' },
    () => test.redis.call('ZSCORE', KEY, ODD),
    '1000',
  ],
  [
    'zset',
    { op: 'removeMember', element: '', member: odd },
    () => test.redis.zrange(KEY, '0', '-1'),
    ['red'],
  ],
  ['stream', { op: 'addEntry', fields: [{ field: odd, value: odd }] }, () => test.redis.xlen(KEY), 2],
  ['stream', { op: 'removeEntry', element: '', entryId: '5-1' }, () => test.redis.xlen(KEY), 0],
];

describe.each(EDITS)('%s %o', (type, change, read, expected) => {
  it('is made, keeps the TTL, and is undone to the byte', async () => {
    await fill[type]!();
    await test.redis.pexpire(KEY, 900_000);
    const etag = await readEtag(test.ctx, Buffer.from(KEY));
    const [dump, expires] = await state();
    const done = await edit(change);
    expect(await read()).toEqual(expected);
    expect(done).toMatchObject({ key: KEY, etag: await readEtag(test.ctx, Buffer.from(KEY)) });
    expect((await state())[1]).toBe(expires);
    expect(await undo(done)).toEqual({ undone: 1, conflicts: [] });
    expect(await readEtag(test.ctx, Buffer.from(KEY))).toBe(etag);
    if (change.op === 'removeEntry') expect((await state())[0]).toEqual(dump);
    expect((await state())[1]).toBe(expires);
    // What was undone cannot be undone a second time.
    expect((await undo(done)).conflicts).toHaveLength(1);
  });

  it('is refused once another editor was faster, and for another type', async () => {
    await fill[type]!();
    const mine = await requestOf(change);
    await edit(change).catch(() => undefined);
    const late = await problemOf(send(mine)).catch(() => null);
    // Pushing or appending twice is what was asked for.
    if (!['push', 'addEntry'].includes(change.op as string))
      expect(['changed', 'exists']).toContain(late?.code);
    await test.redis.del(KEY);
    await (type === 'string' ? fill.list! : fill.string!)();
    const other = await problemOf(send(mine));
    expect(other).toMatchObject({ status: 412, code: 'changed' });
    expect(other.extensions).toMatchObject({ etag: await readEtag(test.ctx, Buffer.from(KEY)) });
    const fresh = await requestOf({ ...change });
    expect((await problemOf(send(fresh))).status).toBe(400);
    await test.redis.del(KEY);
    expect((await problemOf(send(mine))).status).toBe(404);
  });

  it('is not undone over what changed since', async () => {
    await fill[type]!();
    const done = await edit(change);
    await test.redis.del(KEY);
    await test.redis.rpush(KEY, 'something', 'else');
    const other = await state();
    const { undone, conflicts } = await undo(done);
    expect([undone, conflicts.length]).toEqual([0, 1]);
    expect(conflicts[0]?.what).toBe(KEY);
    expect(await state()).toEqual(other);
  });
});

it('deletes a key with its last element, says so, and undo creates it with its TTL', async () => {
  const cases: [() => Promise<unknown>, Record<string, unknown>][] = [
    [() => test.redis.hset(KEY, 'f', 'v'), { op: 'removeField', element: '', field: text('f') }],
    [() => test.redis.rpush(KEY, 'v'), { op: 'removeAt', element: '', index: 0 }],
    [() => test.redis.sadd(KEY, 'm'), { op: 'removeMember', element: '', member: text('m') }],
    [() => test.redis.zadd(KEY, 1.25, 'm'), { op: 'removeMember', element: '', member: text('m') }],
  ];
  for (const [create, change] of cases) {
    await test.redis.del(KEY);
    await create();
    await test.redis.pexpire(KEY, 600_000);
    const before = await state();
    const done = await edit(change);
    expect(done.etag).toBeNull();
    expect(await test.redis.exists(KEY)).toBe(0);
    expect((await undo(done)).undone).toBe(1);
    expect(await state()).toEqual(before);
    await test.redis.del(KEY);
    await create();
    expect((await undo(done)).conflicts[0]?.why).toMatch(/created again/);
  }
});

it('lets others write other elements meanwhile, but not to the same place of a list or string', async () => {
  await test.redis.hset(KEY, { name: 'Ann', visits: '1' });
  const mine = await requestOf({ op: 'setField', element: '', field: text('name'), value: text('Bob') });
  await test.redis.hincrby(KEY, 'visits', 1);
  const done = await send(mine);
  await test.redis.hincrby(KEY, 'visits', 1);
  expect((await undo(done)).undone).toBe(1);
  expect(await test.redis.hgetall(KEY)).toEqual({ name: 'Ann', visits: '3' });
  await test.redis.del(KEY);
  await test.redis.rpush(KEY, 'a', 'a');
  const second = await requestOf({ op: 'removeAt', element: '', index: 1 });
  await test.redis.lpush(KEY, 'a');
  expect((await problemOf(send(second))).code).toBe('changed');
});

it('never overwrites an element', async () => {
  await test.redis.hset(KEY, { a: '1', b: '2' });
  const taken = [
    { op: 'addField', field: text('a'), value: text('x') },
    { op: 'renameField', element: '', field: text('a'), to: text('b') },
    { op: 'renameField', element: '', field: text('a'), to: text('a') },
  ];
  for (const change of taken) expect((await problemOf(edit(change))).code).toBe('exists');
  expect(await test.redis.hgetall(KEY)).toEqual({ a: '1', b: '2' });
  const renamed = await edit({ op: 'renameField', element: '', field: text('a'), to: text('c') });
  await test.redis.hset(KEY, 'a', 'new');
  expect((await undo(renamed)).conflicts[0]?.why).toMatch(/exists again/);
  await test.redis.del(KEY);
  await test.redis.zadd(KEY, 1, 'a', 2, 'b');
  expect((await problemOf(edit({ op: 'addMember', member: text('a'), score: '9' }))).code).toBe('exists');
  const rename = { op: 'renameMember', element: '', member: text('a'), to: text('b') };
  expect((await problemOf(edit(rename))).code).toBe('exists');
  expect(await test.redis.zrange(KEY, '0', '-1', 'WITHSCORES')).toEqual(['a', '1', 'b', '2']);
  expect((await problemOf(edit({ op: 'addMember', member: text('c') }))).status).toBe(400);
  const huge = { op: 'setScore', element: '', member: text('a'), score: '1e999' };
  expect((await problemOf(edit(huge))).status).toBe(400);
});

it('compares large values by their length and the element itself, and refuses what undo cannot store', {
  tags: 'long',
}, async () => {
  await test.redis.rpush(KEY, ...Array.from({ length: 1500 }, (_, i) => `${i}`));
  const at = await requestOf({ op: 'removeAt', element: '', index: 700 });
  await test.redis.lset(KEY, 700, 'other');
  expect((await problemOf(send(at))).code).toBe('changed');
  const done = await edit({ op: 'removeAt', element: '', index: 1400 });
  expect(await test.redis.lrange(KEY, 1399, 1401)).toEqual(['1399', '1401', '1402']);
  await undo(done);
  expect(await test.redis.lrange(KEY, 1399, 1401)).toEqual(['1399', '1400', '1401']);
  await test.redis.set(KEY, Buffer.alloc(2 ** 20 + 5, 'a'));
  const whole = await requestOf({ op: 'setString', value: text('new') });
  await test.redis.pexpire(KEY, 100_000);
  const set = await send(whole);
  expect((await undo(set)).undone).toBe(1);
  expect(await test.redis.strlen(KEY)).toBe(2 ** 20 + 5);
  await test.redis.setrange(KEY, 8 * 2 ** 20, 'x');
  const refused = await problemOf(edit({ op: 'setString', value: text('new') }));
  expect([refused.code, refused.message]).toEqual(['no_undo', expect.stringContaining('Delete the key')]);
  // Its single bits can be changed all the same, but it cannot be extended to 512 MB.
  await undo(await edit({ op: 'setBit', offset: 3, bit: 1 }));
  expect((await problemOf(edit({ op: 'setBit', offset: 2 ** 32 - 1, bit: 1 }))).status).toBe(400);
});

it('edits keys with any name, and answers an id that finds them', async () => {
  for (const key of [ODD, Buffer.alloc(64 * 1024, 'k'), Buffer.from('shop:*[a]?\\')]) {
    await test.redis.set(key, 'a');
    const done = await edit({ op: 'setString', value: text('b') }, key);
    expect(done.keyId).toBe(keyIdOf(test.ctx, key));
    expect(await test.redis.get(key)).toBe('b');
    expect((await undo(done)).undone).toBe(1);
    expect(await test.redis.get(key)).toBe('a');
  }
});

it('is for admins, and not through a read-only connection', async () => {
  await fill.string!();
  const raw = await requestOf({ op: 'setString', value: text('new') });
  expect((await problemOf(send(raw, 'product'))).status).toBe(403);
  const readOnly = { ...test.handle, config: { ...test.handle.config, readOnly: true } };
  expect((await problemOf(send(raw, 'admin', readOnly))).status).toBe(423);
  await test.redis.set('keyward:x', '1');
  const own = await requestOf({ op: 'setString', value: text('new') }, Buffer.from('keyward:x'));
  expect((await problemOf(send(own))).status).toBe(403);
  const [flags, flag] = [
    { ...test.handle.config.flags, approval: 'two-person' as const },
    'env_vars:FEATURE_A',
  ];
  await test.redis.set(flag, 'true');
  const approved = { ...test.handle, config: { ...test.handle.config, flags } };
  const ofFlag = await requestOf({ op: 'setString', value: text('false') }, Buffer.from(flag));
  expect((await problemOf(send(ofFlag, 'admin', approved))).code).toBe('approval_required');
  expect(await test.redis.get(flag)).toBe('true');
});

it('keeps secrets out of edits and of the audit log', async () => {
  const jwt = `eyJhbGciOiJIUzI1NiJ9.${'x'.repeat(30)}.sig`;
  const session = Buffer.from(`session:7:${jwt}`);
  await test.redis.hset(session, { user_id: '7', username: 'ann', token: 'hunter2hunter2' });
  const done = await edit(
    { op: 'setField', element: '', field: text('username'), value: text('super-private') },
    session,
  );
  expect(done.key).not.toContain(jwt);
  await test.redis.hset(KEY, { api_token: 'pw-of-shop', plain: 'visible' });
  for (const op of [
    { op: 'setField', element: '', field: text('api_token'), value: text('x') },
    { op: 'renameField', element: '', field: text('api_token'), to: text('innocent') },
    { op: 'removeField', element: '', field: text('api_token') },
  ])
    expect((await problemOf(edit(op))).message).toMatch(/masked/);
  await edit({ op: 'addField', field: text('password'), value: text('new-password') });
  const account = text('{"password":"pw-in-json"}');
  await edit({ op: 'addField', field: text('account'), value: account });
  await test.redis.del('shop:json', 'shop:stream');
  await test.redis.set('shop:json', '{}');
  await edit({ op: 'setString', value: account }, Buffer.from('shop:json'));
  await test.redis.xadd('shop:stream', '1-1', 'a', 'b');
  const entry = { op: 'addEntry', fields: [{ field: text('password'), value: text('pw-in-json') }] };
  await edit(entry, Buffer.from('shop:stream'));
  await edit({ op: 'setField', element: '', field: text('plain'), value: text('shown in the log') });
  const { items } = await listEntries(test.ctx.store);
  const log = JSON.stringify(items);
  for (const secret of [jwt, 'super-private', 'hunter2', 'pw-of-shop', 'new-password', 'pw-in-json'])
    expect(log).not.toContain(secret);
  expect(log).toContain('shown in the log');
  expect(items[0]).toMatchObject({
    action: 'keys.update',
    target: KEY,
    before: { element: 'plain', value: 'visible' },
    after: { element: 'plain', value: 'shown in the log' },
  });
});

it('counts what its scripts look up as its own', { tags: ['long'] }, async () => {
  const counters = async () => {
    const info = await test.redis.info('stats');
    const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    const { hits, misses } = test.handle.own.snapshot();
    return { hits: of('keyspace_hits') - hits, misses: of('keyspace_misses') - misses };
  };
  for (const [type, change] of EDITS.filter(([, { op }]) => op !== 'setBit')) {
    await test.redis.del(KEY);
    await fill[type]!();
    const raw = await requestOf(change);
    const before = await counters();
    await undo(await send(raw));
    const after = await counters();
    expect([change.op, after.hits - before.hits, after.misses - before.misses]).toEqual([change.op, 0, 0]);
  }
});
