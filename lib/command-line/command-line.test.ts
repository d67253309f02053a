import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findEntry, listEntries } from '@/lib/audit/reads';
import { type Call, runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Result } from '@/lib/contract';
import { type TestContext, type TestContextOptions, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { clearHistory, listHistory } from './history';
import { runLineCommand } from './run';
import type { commandLineContracts } from './schema';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());
beforeEach(() => test.empty());

type Ran = Result<typeof commandLineContracts.run>;
type Role = NonNullable<TestContextOptions['role']>;
type Options = { role?: Role; connection?: Call['connection'] } & Record<string, unknown>;

const run = (
  line: string,
  { role = 'admin', connection = test.handle, ...more }: Options = {},
): Promise<Ran> =>
  runCommand(runLineCommand, {
    actor: testActor(role),
    requestId: 'r',
    connection,
    raw: { line, ...more },
  });
const refused = (line: string, options?: Options) => problemOf(run(line, options));
const texts = ({ reply }: Ran) => reply.map(({ text }) => text);
const undo = async ({ auditId }: Ran) =>
  runLineCommand.undo!(test.as({ auditId: 'undo' }), (await readUndo(test.ctx.store, auditId!))!);
const others = async () => {
  const info = await test.redis.info('stats');
  const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
  const { hits, misses } = test.handle.own.snapshot();
  return [of('keyspace_hits') - hits, of('keyspace_misses') - misses];
};

describe('reads', () => {
  it('are answered by type, without an audit entry', async () => {
    await test.redis.set('author:id:7', '{"name":"Ada"}');
    await test.redis.hset('shop:h', { a: '1', b: '2' });
    await test.redis.zadd('shop:z', 1.5, 'x', 2, 'y');
    await test.redis.rpush('shop:l', 'one', 'two');
    await test.redis.xadd('shop:x', '1-1', 'f', 'v');
    const got = await run('GET author:id:7', { role: 'support' });
    expect(got).toMatchObject({ kind: 'read', type: 'string', auditId: null, family: expect.any(String) });
    expect(texts(got)).toEqual(['{"name":"Ada"}']);
    expect(await run('HGETALL shop:h')).toMatchObject({
      type: 'fields',
      reply: [
        { name: 'a', text: '1' },
        { name: 'b', text: '2' },
      ],
    });
    expect(await run('zrange shop:z 0 -1 withscores')).toMatchObject({
      type: 'scores',
      reply: [
        { text: 'x', score: '1.5' },
        { text: 'y', score: '2' },
      ],
    });
    expect(texts(await run('LRANGE shop:l 0 -1'))).toEqual(['one', 'two']);
    expect(await run('XRANGE shop:x - +')).toMatchObject({
      type: 'entries',
      reply: [{ text: '1-1' }, { name: 'f' }],
    });
    expect(await run('GET missing')).toMatchObject({ type: 'nil', reply: [{ type: 'nil', text: null }] });
    expect(texts(await run('STRLEN author:id:7'))).toEqual(['14']);
    expect(await run('TYPE shop:h')).toMatchObject({ type: 'status', reply: [{ text: 'hash' }] });
    expect(texts(await run('OBJECT ENCODING shop:l'))).toEqual([expect.stringMatching('list')]);
    expect((await listEntries(test.ctx.store)).items).toEqual([]);
  });

  it('link the keys that they name, and no key whose name is a secret', async () => {
    await test.redis.set('author:id:7', 'x');
    await test.redis.set(`verification_token:${JWT}`, 'x');
    const { type, reply } = await run('SCAN 0 COUNT 100');
    expect(type).toBe('keys');
    const found = reply.slice(1).sort((a, b) => (a.text! < b.text! ? -1 : 1));
    expect(found).toMatchObject([
      { text: 'author:id:7', keyId: Buffer.from('author:id:7').toString('base64url') },
      { text: 'verification_token:•••', masked: true },
    ]);
    expect(found[1]).not.toHaveProperty('keyId');
    // Letter by letter would find it out.
    expect((await run(`SCAN 0 MATCH verification_token:${JWT.slice(0, 8)}* COUNT 100`)).reply).toHaveLength(
      1,
    );
    expect((await run('SCAN 0 MATCH verification_token:* COUNT 100')).reply).toHaveLength(2);
  });

  it('are shown as bytes where they are no text, and masked where they are secrets', async () => {
    await test.redis.set('shop:bytes', Buffer.from([0, 255, 10]));
    await test.redis.hset('shop:user', { name: 'Ada', password: 'hunter2', token: JWT });
    expect(texts(await run('GET "shop:\\x62ytes"'))).toEqual(['\\x00\\xff\\x0a']);
    const { reply } = await run('HGETALL shop:user');
    expect(JSON.stringify(reply)).not.toMatch(/hunter2|eyJ/);
    expect(reply.find(({ name }) => name === 'name')?.text).toBe('Ada');
    expect(await run('HGET shop:user password')).toMatchObject({ reply: [{ text: null, masked: true }] });
    expect(JSON.stringify(await run('HMGET shop:user password token'))).not.toMatch(/hunter2|eyJ/);
    for (const line of ['HSTRLEN shop:user password', 'HVALS shop:user', 'HINCRBY shop:user password 0'])
      expect((await refused(line)).code).toBe('command_refused');
  });

  it('count as the console’s own, so hit rates stay right', async () => {
    await test.redis.set('shop:a', 'x');
    await test.redis.lpush('shop:l', 'x');
    const before = await others();
    for (const line of [
      'GET shop:a',
      'GET shop:none',
      'MGET shop:a shop:none shop:a',
      'EXISTS shop:a',
      'TTL shop:none',
    ])
      await run(line);
    await refused('HGET shop:l x');
    await run('OBJECT ENCODING shop:a');
    for (const line of [
      'SET shop:b 1',
      'SET shop:b 2 GET',
      'GETDEL shop:b',
      'DEL shop:a',
      'SUNIONSTORE shop:c shop:s',
      'SET shop:n 9007199254740993',
      'INCR shop:n',
      'HINCRBY shop:h n 9007199254740993',
      'SETRANGE shop:bits 0 binary-data',
      'BITFIELD_RO shop:bits GET i64 0',
    ])
      await run(line);
    expect(await others()).toEqual(before);
  });
});

describe('the size of an answer', () => {
  it.skipIf(IS_REDIS_6)('is asked for first', { tags: ['long'] }, async () => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 11; i++)
      pipeline.sadd('shop:s', ...Array.from({ length: 1000 }, (_, j) => `m${i}-${j}`));
    pipeline.set('shop:big', 'x '.repeat(600_000));
    pipeline.hset('shop:h', 'f', 'y '.repeat(600_000), 'g', '1');
    await pipeline.exec();
    const large = [
      'SMEMBERS shop:s',
      'SUNION shop:s',
      'GET shop:big',
      'MGET shop:a shop:big',
      'HGETALL shop:h',
      'HGET shop:h f',
    ];
    for (const line of [
      ...large,
      'GETDEL shop:big',
      'DEL shop:s',
      'SRANDMEMBER shop:s -20000',
      'GETRANGE shop:big 0 1',
    ])
      expect([line, await refused(line)]).toEqual([
        line,
        expect.objectContaining({
          code: 'command_refused',
          extensions: expect.objectContaining({ page: 'keys' }),
        }),
      ]);
    expect((await refused('SMEMBERS shop:s')).message).toContain('SSCAN');
    expect((await run('SSCAN shop:s 0 COUNT 99999')).reply.length).toBeLessThan(2000);
    expect((await run('SRANDMEMBER shop:s 5')).reply).toHaveLength(5);
    expect(texts(await run('HGET shop:h g'))).toEqual(['1']);
    expect(texts(await run('STRLEN shop:big'))).toEqual(['1200000']);
    for (const line of [
      'SETRANGE shop:n 536870911 x',
      'SETBIT shop:n 4294967295 1',
      'BITFIELD shop:n SET u8 #90000000 1',
    ])
      expect((await refused(line)).code).toBe('command_refused');
  });
});

describe('bad input', () => {
  it('is refused in words that repeat none of it', async () => {
    await test.redis.lpush('shop:l', 'x');
    const open = await refused('SET a "hunter2');
    expect([open.status, open.message]).toEqual([400, expect.stringContaining('character 7')]);
    expect(await refused('   ')).toMatchObject({ status: 400 });
    expect(await refused('GTE hunter2')).toMatchObject({
      code: 'unknown_command',
      status: 400,
      extensions: { nearest: expect.arrayContaining(['GET']) },
    });
    expect((await refused('OBJECT ENCODNG hunter2')).message).toContain('OBJECT ENCODING');
    expect(await refused('GET')).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('GET key'),
    });
    expect((await refused(`SET a ${'x'.repeat(20_000)}`)).status).toBe(400);
    for (const line of [
      'LPUSH',
      'GTE hunter2',
      'INCRBY shop:l hunter2',
      'HGET shop:l hunter2',
      'SET a b hunter2 X',
    ])
      expect((await refused(line)).message).not.toMatch(/hunter2/);
    expect((await refused('HGET shop:l hunter2')).message).toContain('another type');
    expect(await refused('LMPOP 0 LEFT')).toMatchObject({ status: 400 });
  });

  it('names the page for what is refused', async () => {
    const pages: Record<string, string> = {
      'KEYS *': 'keys',
      FLUSHALL: 'invalidate',
      'CONFIG SET a b': 'server',
      'CONFIG GET *': 'server',
      'EVAL "return 1" 0': 'keys',
      MONITOR: 'profiler',
      'SUBSCRIBE a': 'channels',
      'BLPOP a 0': 'queues',
      'DUMP a': 'keys',
      'SORT a BY w_*': 'keys',
      'COPY a b DB 1': 'keys',
      'SCAN 0 TYPE string': 'keys',
      'CLIENT KILL ID 1': 'server',
      'SELECT 1': 'server',
    };
    for (const [line, page] of Object.entries(pages))
      expect([line, await refused(line)]).toEqual([
        line,
        expect.objectContaining({
          code: 'command_refused',
          status: 400,
          extensions: expect.objectContaining({ page }),
        }),
      ]);
  });
});

describe('rights', () => {
  it('of a family decide about its keys', async () => {
    await test.redis.set('oauth_access:7:google', 'a-very-secret-token-of-google');
    await test.redis.hset('session:7:abcdef', { token: 'x' });
    const product = await refused('GET oauth_access:7:google', { role: 'product' });
    expect([product.status, product.message]).toEqual([403, expect.stringMatching('sessions:view')]);
    expect((await refused('EXISTS oauth_access:7:google', { role: 'product' })).status).toBe(403);
    const support = await refused('GET oauth_access:7:google', { role: 'support' });
    expect(support).toMatchObject({
      code: 'command_refused',
      extensions: { page: 'tokens', line: 'GET oauth_access:7:google' },
    });
    expect(texts(await run('EXISTS oauth_access:7:google', { role: 'support' }))).toEqual(['1']);
    for (const line of ['EXISTS session:7:abcdef', 'EXISTS session:7:abcdeg', 'TTL session:7:abcdef'])
      expect((await refused(line, { role: 'support' })).code).toBe('command_refused');
    expect((await refused('GET keyward:users')).status).toBe(403);
    expect((await refused('SET author:id:7 x', { role: 'support' })).message).toContain('keys:write');
    expect((await refused('PING', { role: 'viewer' })).status).toBe(403);
  });

  it.skipIf(IS_REDIS_6)('keep secrets from being read piece by piece, compared, or moved', async () => {
    await test.redis.set('shop:secret', `token ${JWT}`);
    await test.redis.set('oauth_access:7:google', 'a-very-secret-token');
    await test.redis.zadd('shop:z', 0, JWT);
    const lines = [
      'GETRANGE shop:secret 6 6',
      'GETBIT shop:secret 9',
      'BITFIELD shop:secret GET u8 0',
      'BITPOS shop:secret 1',
      'LCS shop:secret shop:other',
      'SETRANGE shop:secret 0 xxxxxxxxxx',
      'APPEND shop:secret x',
      'ZRANGEBYLEX shop:z [e [f',
      'ZRANGE shop:z [e [f BYLEX',
      'ZLEXCOUNT shop:z [e [f',
      'RENAME oauth_access:7:google shop:plain',
      'COPY oauth_access:7:google shop:plain',
      'GETDEL oauth_access:7:google',
      'BITOP OR shop:plain oauth_access:7:google',
      'SET oauth_access:7:google x GET',
    ];
    for (const line of lines) {
      const { status, message } = await refused(line);
      expect([line, status, message]).toEqual([line, 400, expect.stringMatching(/secret|masked|letter/)]);
    }
    expect(await test.redis.exists('shop:plain')).toBe(0);
    expect(JSON.stringify(await run('ZRANGE shop:z 0 -1'))).not.toContain('eyJ');
    expect((await run('ZSCAN shop:z 0 MATCH eyJ*')).reply).toHaveLength(1);
    // A key that is called like an option does not make scores of members, which are not masked.
    await test.redis.sadd('WITHSCORES', JWT, `${JWT}x`);
    await test.redis.zadd('shop:zz', 0, JWT, 0, `${JWT}x`);
    for (const line of ['SUNION shop:none WITHSCORES', 'ZUNION 2 shop:zz WITHSCORES', 'SMEMBERS WITHSCORES'])
      expect(JSON.stringify((await run(line)).reply)).not.toContain('eyJ');
  });
});

describe('writes', () => {
  it('have an audit entry without values, and an undo that restores value and TTL', async () => {
    await test.redis.set('author:id:7', 'hunter2', 'EX', 1000);
    const done = await run('SET author:id:7 swordfish', { reason: 'test' });
    expect(done).toMatchObject({
      kind: 'write',
      type: 'status',
      undo: 'possible',
      undoUntil: expect.any(String),
    });
    expect(done.keys).toMatchObject([{ key: 'author:id:7', type: 'string', ttlSeconds: null }]);
    const entry = await findEntry(test.ctx.store, done.auditId!);
    expect(entry).toMatchObject({ target: 'SET author:id:7 •••', outcome: 'succeeded', after: { exist: 1 } });
    expect(JSON.stringify(entry)).not.toMatch(/hunter2|swordfish/);
    expect(await undo(done)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.get('author:id:7')).toBe('hunter2');
    expect(await test.redis.ttl('author:id:7')).toBeGreaterThan(900);
  });

  it('are undone together or not at all, and not over what changed since', async () => {
    await test.redis.set('shop:a', '1');
    const deleted = await run('DEL shop:a shop:none');
    expect(await undo(deleted)).toEqual({ undone: 2, conflicts: [] });
    expect([await test.redis.get('shop:a'), await test.redis.exists('shop:none')]).toEqual(['1', 0]);
    const renamed = await run('RENAME shop:a shop:b');
    await test.redis.set('shop:b', 'of the application');
    expect(await undo(renamed)).toMatchObject({
      undone: 0,
      conflicts: [{ what: 'shop:a' }, { what: 'shop:b' }],
    });
    expect([await test.redis.exists('shop:a'), await test.redis.get('shop:b')]).toEqual([
      0,
      'of the application',
    ]);
    const expired = await run('EXPIRE shop:b 100');
    expect(await undo(expired)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.ttl('shop:b')).toBe(-1);
    const created = await run('SADD shop:set a b');
    expect(await undo(created)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.exists('shop:set')).toBe(0);
    await test.redis.xadd('shop:x', '1-1', 'f', 'v');
    const grouped = await run('XGROUP CREATE shop:x readers 0');
    expect(await undo(grouped)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.xinfo('GROUPS', 'shop:x')).toEqual([]);
  });

  it('say before what will happen, and are refused if it changed since', async () => {
    await test.redis.set('shop:a', '1');
    const before = await run('DEL shop:a shop:none', { dryRun: true });
    expect(before).toMatchObject({
      dryRun: true,
      kind: 'write',
      undo: 'possible',
      auditId: null,
      reply: [],
      keyCount: 2,
      keys: [
        { key: 'shop:a', type: 'string' },
        { key: 'shop:none', type: 'none' },
      ],
    });
    expect(await test.redis.get('shop:a')).toBe('1');
    await test.redis.set('shop:a', '2');
    const changed = await refused('DEL shop:a shop:none', { etag: before.etag });
    expect([changed.status, await test.redis.get('shop:a')]).toEqual([412, '2']);
    await run('DEL shop:a shop:none', { etag: changed.extensions.etag });
    expect(await test.redis.exists('shop:a')).toBe(0);
  });

  it('beyond what is copied run only without undo', async () => {
    const many = `UNLINK ${Array.from({ length: 21 }, (_, i) => `shop:${i}`).join(' ')}`;
    await test.redis.set('shop:0', 'x');
    expect((await run(many, { dryRun: true })).undo).toBe('tooManyKeys');
    expect((await refused(many)).code).toBe('no_undo');
    const done = await run(many, { withoutUndo: true });
    expect(done).toMatchObject({ undo: 'declined', reply: [{ text: '1' }] });
    // Not all of them were looked at.
    const entry = await findEntry(test.ctx.store, done.auditId!);
    expect(entry).toMatchObject({ before: { keys: 21 }, after: { exist: null } });
  });

  it('need a writable connection, a confirmation in production, and nothing that reads needs', async () => {
    const { config } = test.handle;
    const readOnly = { ...test.handle, config: { ...config, readOnly: true } };
    const production = { ...test.handle, config: { ...config, environment: 'production' as const } };
    expect((await refused('SET shop:a 1', { connection: readOnly })).status).toBe(423);
    expect((await refused('SET shop:a 1', { connection: production })).code).toBe('confirmation_required');
    await run('SET shop:a 1', { connection: production, confirm: config.id });
    expect(texts(await run('GET shop:a', { connection: readOnly }))).toEqual(['1']);
    expect(texts(await run('GET shop:a', { connection: production }))).toEqual(['1']);
  });
});

it('remembers the caller’s own lines, masked', async () => {
  await run('SET shop:a hunter2');
  await run('GET shop:a', { role: 'support' });
  await refused('CONFIG SET requirepass hunter2');
  await refused('hunter2');
  const { items } = await listHistory(test.ctx, { limit: 50 });
  expect(items.map(({ line, outcome }) => [line, outcome])).toEqual([
    ['CONFIG SET ••• •••', 'refused'],
    ['SET shop:a •••', 'done'],
  ]);
  expect(
    JSON.stringify(await test.storeRedis.lrange('keyward:command-lines:main:user-admin', 0, -1)),
  ).not.toMatch('hunter2');
  const clear = (id?: string) =>
    runCommand(clearHistory, { actor: testActor(), requestId: 'r', connection: test.handle, raw: { id } });
  expect(await clear(items[0]!.id)).toMatchObject({ deleted: 1 });
  expect((await problemOf(clear(items[0]!.id))).status).toBe(404);
  expect(await clear()).toMatchObject({ deleted: 1 });
  const support = test.as({ actor: testActor('support') });
  expect((await listHistory(support, { limit: 50 })).items).toHaveLength(1);
});

it('shows hostile replies as text, and only their beginning', async () => {
  await test.redis.hset('shop:h', {
    '<script>alert(1)</script>': '\u202e\u0000',
    ['x'.repeat(70_000)]: 'y'.repeat(70_000),
  });
  const { reply, truncated } = await run('HGETALL shop:h');
  expect(truncated).toBe(true);
  expect(reply.map(({ name }) => name)).toContain('<script>alert(1)</script>');
  expect(Math.max(...reply.map(({ text }) => text?.length ?? 0))).toBeLessThanOrEqual(65_536);
});
