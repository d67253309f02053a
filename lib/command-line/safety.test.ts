import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findEntry } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import type { Result } from '@/lib/contract';
import { parseCall } from '@/lib/redis/parsed-call';
import { SHIPPED_TABLE } from '@/lib/redis/shipped-table';
import { countParts } from '@/lib/snapshots/snapshots';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, type TestContextOptions, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { boundedArguments } from './bounds';
import { listHistory } from './history';
import { argumentsOf } from './line';
import { runLineCommand } from './run';
import type { commandLineContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerUndoable([runLineCommand]);
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.empty();
  await test.redis.config('SET', 'maxmemory', '0');
});

type Role = NonNullable<TestContextOptions['role']>;
type Ran = Result<typeof commandLineContracts.run>;

const run = (line: string, more: Record<string, unknown> = {}): Promise<Ran> =>
  runCommand(runLineCommand, {
    actor: testActor(),
    requestId: 'r',
    connection: test.handle,
    raw: { line, ...more },
  });
const refused = (line: string, more?: Record<string, unknown>) => problemOf(run(line, more));
const undo = ({ auditId }: Ran, role: Role = 'admin') =>
  runCommand(undoChange, { actor: testActor(role), requestId: 'u', connection: null, raw: { auditId } });
const texts = ({ reply }: Ran) => reply.map(({ text }) => text);
const fill = (key: string, count: number) =>
  test.redis.sadd(key, ...Array.from({ length: count }, (_, i) => `m${i}`));
const HUGE = '9'.repeat(16);

describe('an undo', () => {
  it('needs the permission to write, before it shows anything of the change', async () => {
    await test.redis.set('shop:a', 'before');
    const done = await run('SET shop:a after');
    const created = await run('SET shop:new x');
    for (const role of ['viewer', 'support', 'product'] as const)
      for (const each of [done, created])
        expect(await problemOf(undo(each, role))).toMatchObject({
          status: 403,
          message: expect.stringContaining('keys:write'),
        });
    expect(await test.redis.mget('shop:a', 'shop:new')).toEqual(['after', 'x']);
    expect(await undo(done)).toMatchObject({ undone: 1 });
    expect(await test.redis.get('shop:a')).toBe('before');
  });

  it('deletes nothing where the server has no memory to restore', async () => {
    await test.redis.set('shop:a', 'x'.repeat(1000));
    const renamed = await run('RENAME shop:a shop:b');
    await test.redis.config('SET', 'maxmemory', '1');
    expect(await problemOf(undo(renamed))).toMatchObject({ code: 'full', status: 503 });
    expect(await test.redis.exists('shop:a', 'shop:b')).toBe(1);
    await test.redis.config('SET', 'maxmemory', '0');
    expect(await undo(renamed)).toMatchObject({ undone: 2, conflicts: [] });
    expect(await test.redis.strlen('shop:a')).toBe(1000);
  });

  it('tells a rebuilt table from a changed set or hash', async () => {
    for (const [key, line] of [
      ['shop:s', 'SADD shop:s one'],
      ['shop:h', 'HSET shop:h one 1'],
    ] as const) {
      if (key === 'shop:s') await fill(key, 3000);
      else
        await test.redis.hset(
          key,
          ...Array.from({ length: 3000 }, (_, i) => [`f${i}`, `${i}`] as const).flat(),
        );
      const done = await run(line);
      const dump = await test.redis.dumpBuffer(key);
      // A copy of the same elements in a table of another size.
      const more = Array.from({ length: 5000 }, (_, i) => `more${i}`);
      if (key === 'shop:s') await test.redis.multi().sadd(key, more).srem(key, more).exec();
      else
        await test.redis
          .multi()
          .hset(key, ...more.flatMap((f) => [f, 'x']))
          .hdel(key, ...more)
          .exec();
      expect((await test.redis.dumpBuffer(key))!.equals(dump!)).toBe(false);
      expect(await undo(done)).toMatchObject({ undone: 1, conflicts: [] });
    }
    const done = await run('SADD shop:s one');
    await test.redis.multi().srem('shop:s', 'm7').sadd('shop:s', 'other').exec();
    expect(await undo(done)).toMatchObject({ undone: 0, conflicts: [{ why: 'It was changed since.' }] });
  });

  it('is not promised for a set that cannot be compared', async () => {
    await fill('shop:s', 5001);
    expect((await run('SADD shop:s x', { dryRun: true })).undo).toBe('tooLarge');
    expect((await refused('SADD shop:s x')).code).toBe('no_undo');
    expect(await run('UNLINK shop:s')).toMatchObject({ undo: 'possible' });
  });

  it('is not kept where the line left what cannot be compared', async () => {
    await fill('shop:s', 5000);
    await test.redis.sadd('shop:t', 'x');
    expect(await run('SADD shop:s m1')).toMatchObject({ undo: 'possible', undoUntil: expect.any(String) });
    for (const line of ['SUNIONSTORE shop:u shop:s shop:t', 'SADD shop:s x']) {
      const done = await run(line);
      expect([line, done.undo, done.undoUntil]).toEqual([line, 'incomparable', undefined]);
      expect(await countParts(test.ctx.store, done.auditId!)).toBe(0);
      const entry = await findEntry(test.ctx.store, done.auditId!);
      expect(entry).toMatchObject({ outcome: 'succeeded', undoUntil: null });
    }
    expect(await test.redis.scard('shop:u')).toBe(5001);
  });

  it('of a stream is possible whatever its checksum is', async () => {
    const streams = Array.from({ length: 3000 }, (_, i) => `shop:x${i}`);
    const pipeline = test.redis.pipeline();
    for (const [i, key] of streams.entries())
      pipeline.xadd(key, '1-1', 'f', i).xadd(key, '2-1', 'f', 'v').dumpBuffer(key);
    const dumps = ((await pipeline.exec()) ?? []).flatMap(([, dump]) => (Buffer.isBuffer(dump) ? dump : []));
    // A question mark.
    const found = dumps.findIndex((dump) => dump.at(-1) === 0x3f);
    const key = streams[found]!;
    await test.redis.multi().del(key).xadd(key, '1-1', 'f', found).exec();
    const done = await run(`XADD ${key} 2-1 f v`);
    expect((await test.redis.dumpBuffer(key))!.at(-1)).toBe(0x3f);
    expect(await undo(done)).toMatchObject({ undone: 1, conflicts: [] });
    expect(await test.redis.xlen(key)).toBe(1);
  });

  it('restores what expired by the line', async () => {
    await test.redis.set('shop:a', '1');
    const done = await run('PEXPIRE shop:a 1');
    while (await test.redis.exists('shop:a')) await test.redis.ping();
    expect(await undo(done)).toMatchObject({ undone: 1, conflicts: [] });
    expect([await test.redis.get('shop:a'), await test.redis.ttl('shop:a')]).toEqual(['1', -1]);
  });
});

describe('a number', () => {
  it('of any length is held to the limits', async () => {
    await fill('shop:s', 5000);
    await test.redis.mset(...Array.from({ length: 3000 }, (_, i) => [`shop:k${i}`, '1'] as const).flat());
    for (const count of [HUGE, '9223372036854775807']) {
      expect((await run(`SCAN 0 COUNT ${count}`)).reply.length).toBeLessThan(2000);
      expect((await run(`SSCAN shop:s 0 COUNT ${count}`)).reply.length).toBeLessThan(2000);
    }
    expect((await refused('SCAN 0 COUNT x')).code).toBe('bad_input');
    // A pattern that is called like an option hides none.
    expect((await run(`SSCAN shop:s 0 MATCH COUNT COUNT ${HUGE}`)).reply).toHaveLength(1);
  });

  it('of samples is held to them too', async () => {
    const sent = (line: string) => {
      const call = parseCall(SHIPPED_TABLE, argumentsOf(line));
      return boundedArguments({ call: { ...call, spec: call.spec!, keys: call.keys! } }).join(' ');
    };
    const most = { 0: '1000', '00': '1000', 1001: '1000', [HUGE]: '1000', 5: '5', '-1': '-1' };
    for (const [count, kept] of Object.entries(most))
      expect(sent(`memory usage SAMPLES SAMPLES 7 samples ${count}`)).toBe(
        `memory usage SAMPLES SAMPLES 7 samples ${kept}`,
      );
    await fill('shop:s', 5000);
    expect((await run('MEMORY USAGE shop:s SAMPLES 0')).type).toBe('integer');
    expect((await refused('MEMORY USAGE shop:s SAMPLES x')).code).toBe('bad_input');
    expect((await refused('MEMORY USAGE shop:s SAMPLES')).code).toBe('bad_input');
  });

  it('that is negative, and of any length, is no way around them', async () => {
    await fill('shop:s', 10);
    await test.redis.hset('shop:h', 'f', 'v');
    await test.redis.zadd('shop:z', 1, 'm');
    await test.redis.xadd('shop:x', '*', 'f', 'v');
    await test.redis.xgroup('CREATE', 'shop:x', 'g', '0');
    for (const line of [
      `SRANDMEMBER shop:s -${HUGE}`,
      `HRANDFIELD shop:h -${HUGE}`,
      `ZRANDMEMBER shop:z -${HUGE} WITHSCORES`,
      `XPENDING shop:x g - + ${HUGE}`,
      `XPENDING shop:x g IDLE 0 - + ${HUGE}`,
      `XPENDING shop:x g - + 10001 c`,
    ])
      expect([line, (await refused(line)).code]).toEqual([line, 'command_refused']);
    expect((await run('XPENDING shop:x g - + 10')).reply).toHaveLength(1);
    expect((await run('XPENDING shop:x g')).type).toBe('list');
    expect((await refused('SRANDMEMBER shop:s x')).code).toBe('bad_input');
  });

  it('has the digits of an integer beyond 2⁵³, and none that may be wrong', async () => {
    await test.redis.set('shop:n', '9007199254740992', 'PXAT', '9007199254740993');
    expect(await run('INCR shop:n')).toMatchObject({
      type: 'integer',
      reply: [{ text: '9007199254740993' }],
    });
    expect(texts(await run('decrby shop:n -2', { withoutUndo: true }))).toEqual(['9007199254740995']);
    await test.redis.hset('shop:h', 'n', '-9223372036854775800');
    expect(texts(await run('HINCRBY shop:h n -7'))).toEqual(['-9223372036854775807']);
    await test.redis.set('shop:bits', Buffer.alloc(16, 0x7f));
    const bits = '9187201950435737471';
    expect(texts(await run('BITFIELD_RO shop:bits GET i64 0 GET u8 0 GET i64 64'))).toEqual([
      null,
      bits,
      '127',
      bits,
    ]);
    const bitfield = async (operations: string) =>
      texts(await run(`BITFIELD shop:bits ${operations}`)).slice(1);
    expect(await bitfield('GET i64 0 GET u8 0 GET u54 3')).toEqual([bits, '127', '17731819709333246']);
    expect(await bitfield('SET i64 #1 -9223372036854775808 get i64 #1')).toEqual([
      bits,
      '-9223372036854775808',
    ]);
    expect(await bitfield('INCRBY i64 #1 1 OVERFLOW SAT INCRBY u63 0 9223372036854775807')).toEqual([
      '-9223372036854775807',
      '9223372036854775807',
    ]);
    expect(await bitfield('OVERFLOW FAIL INCRBY i64 #1 -2 SET i5 1 3')).toEqual([null, '-1']);
    expect((await refused('BITFIELD shop:bits GET i64 0 GET i65 0')).status).toBe(400);
    await test.redis.xadd('shop:x', '1-1', 'f', 'v');
    if (IS_REDIS_6) return;
    expect(texts(await run('PEXPIRETIME shop:n'))).toEqual(['9007199254740993']);
    await test.redis.call('XGROUP', 'CREATE', 'shop:x', 'g', '0', 'ENTRIESREAD', '9007199254740993');
    expect(texts(await run('XINFO GROUPS shop:x'))).toContain('9007199254740993');
  });
});

describe('an answer', () => {
  it('is checked once', async () => {
    await test.redis.set('shop:a', 'abc');
    const { reader } = test.handle;
    let reads = 0;
    const counted = {
      ...test.handle,
      reader: {
        ...reader,
        getString: (...args: Parameters<typeof reader.getString>) => {
          reads += 1;
          return reader.getString(...args);
        },
      },
    };
    const done = await runCommand(runLineCommand, {
      actor: testActor(),
      requestId: 'r',
      connection: counted,
      raw: { line: 'GETRANGE shop:a 0 0' },
    });
    expect([texts(done), reads]).toEqual([['a'], 1]);
  });

  it.skipIf(IS_REDIS_6)('is not sent where one large element is among many small ones', async () => {
    const big = 'x '.repeat(1_000_000);
    await test.redis.rpush('shop:l', ...Array.from({ length: 5000 }, (_, i) => `${i}`), big);
    await test.redis.hset('shop:h', ...Array.from({ length: 2000 }, (_, i) => `f${i}`), 'big', big);
    await test.redis.xadd('shop:x', '1-1', 'f', big);
    for (let i = 0; i < 100; i++) await test.redis.xadd('shop:x', '*', 'f', 'v');
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
    for (const line of [
      'LINDEX shop:l -1',
      'LRANGE shop:l -2 -1',
      'XRANGE shop:x - + COUNT 1',
      'LRANGE shop:l 0 -1',
    ]) {
      const before = await sent();
      const problem = await refused(line);
      expect([line, problem.code, problem.message]).toEqual([
        line,
        'command_refused',
        expect.stringContaining('1 MiB'),
      ]);
      expect([line, (await sent()) - before < 2 ** 20]).toEqual([line, true]);
    }
    expect(texts(await run('LRANGE shop:l 0 1'))).toEqual(['0', '1']);
    const popped = await run('RPOP shop:l', { withoutUndo: true });
    expect(popped).toMatchObject({ truncated: true, reply: [{ text: '—' }], auditId: expect.any(String) });
    expect(await test.redis.llen('shop:l')).toBe(5000);
  });

  it('is the same for a name in lower case', async () => {
    await test.redis.hset('shop:h', { a: '1' });
    const fields = { type: 'fields', reply: [{ name: 'a', text: '1' }] };
    for (const line of ['hgetall shop:h', 'HgetAll shop:h']) expect(await run(line)).toMatchObject(fields);
    await run('mset shop:a 1 shop:b 2');
    expect(await test.redis.get('shop:b')).toBe('2');
  });

  it('of XAUTOCLAIM has its cursor, and masks fields that are secrets', async () => {
    await test.redis.xadd('shop:x', '1-1', 'password', 'hunter2');
    await test.redis.xgroup('CREATE', 'shop:x', 'g', '0');
    await test.redis.xreadgroup('GROUP', 'g', 'c', 'STREAMS', 'shop:x', '>');
    const { reply } = await run('XAUTOCLAIM shop:x g d 0 0');
    expect(reply).toMatchObject([{ depth: 0, text: '0-0' }, { text: '1-1' }, { text: null, masked: true }]);
  });
});

describe('work on a key of more than 10 000 elements', () => {
  it('is refused however it is named', async () => {
    await fill('shop:s', 10_001);
    await test.redis.rpush('shop:l', ...Array.from({ length: 10_001 }, (_, i) => `${i}`));
    await test.redis.zadd('shop:z', ...Array.from({ length: 10_001 }, (_, i) => [i, `${i}`] as const).flat());
    await test.redis.set('shop:a', '1');
    const past = Math.floor(Date.now() / 1000) - 10;
    for (const line of [
      'DEL shop:s',
      'EXPIRE shop:s 0',
      'PEXPIRE shop:s -1',
      `EXPIREAT shop:s ${past}`,
      'PEXPIREAT shop:s 1',
      'SET shop:s x',
      'MSET shop:b 1 shop:s x',
      'RENAME shop:a shop:s',
      'COPY shop:a shop:s REPLACE',
      'LTRIM shop:l 1 0',
      'LREM shop:l 0 x',
      'ZREMRANGEBYRANK shop:z 0 -1',
      'ZREMRANGEBYSCORE shop:z -inf +inf',
      'SINTERSTORE shop:s shop:none',
      'SETEX shop:s 10 x',
    ])
      expect([line, (await refused(line, { withoutUndo: true })).code]).toEqual([line, 'command_refused']);
    for (const line of [
      'LTRIM shop:l 1 -1',
      'EXPIRE shop:s 100',
      'SADD shop:s x',
      'RENAME shop:s shop:s2',
      'UNLINK shop:z',
    ])
      expect([line, (await run(line, { withoutUndo: true })).kind]).toEqual([line, 'write']);
  });
});

describe('members', () => {
  it('are never compared letter by letter', async () => {
    await test.redis.zadd('author:id:7', 0, 'ada');
    for (const line of [
      'ZLEXCOUNT author:id:7 [a [b',
      'ZRANGEBYLEX author:id:7 - +',
      'ZREVRANGEBYLEX author:id:7 + -',
      'ZREMRANGEBYLEX author:id:7 - +',
      'ZRANGE author:id:7 - + BYLEX',
      'zrangestore author:id:8 author:id:7 - + bylex',
    ])
      expect([line, (await refused(line)).message]).toEqual([
        line,
        expect.stringContaining('letter by letter'),
      ]);
  });
});

describe('a write without undo', () => {
  it('is still compared with what was seen, in one step', async () => {
    await test.redis.set('shop:a', '1');
    const { etag } = await run('SET shop:a 2', { dryRun: true });
    await test.redis.set('shop:a', 'other');
    expect((await refused('SET shop:a 2', { withoutUndo: true, etag })).status).toBe(412);
    // The key changes between the comparison of the etag and the line.
    const seen = await run('SET shop:a 2', { dryRun: true });
    const { reader } = test.handle;
    const raced = {
      ...test.handle,
      reader: {
        ...reader,
        getString: async (...args: Parameters<typeof reader.getString>) => {
          const value = await reader.getString(...args);
          await test.redis.set('shop:a', 'raced');
          return value;
        },
      },
    };
    const late = runCommand(runLineCommand, {
      actor: testActor(),
      requestId: 'r',
      connection: raced,
      raw: { line: 'SET shop:a 2', withoutUndo: true, etag: seen.etag },
    });
    expect((await problemOf(late)).status).toBe(412);
    expect(await test.redis.get('shop:a')).toBe('raced');
    const again = await run('SET shop:a 2', { dryRun: true });
    expect((await run('SET shop:a 2', { withoutUndo: true, etag: again.etag })).undo).toBe('declined');
  });
});

describe('the history', () => {
  it('says that a write whose reply was lost was perhaps run', async () => {
    await test.redis.client('PAUSE', 60_000, 'WRITE');
    const lost = problemOf(run('SET shop:a 1', { withoutUndo: true }));
    while (!/flags=b .*cmd=eval/.test(String(await test.redis.client('LIST')))) await test.redis.ping();
    await test.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await test.redis.client('UNPAUSE');
    const problem = await lost;
    expect(problem.extensions.inDoubt).toBe(true);
    const { items } = await listHistory(test.ctx, { limit: 50 });
    expect(items).toMatchObject([
      { line: 'SET shop:a •••', outcome: 'unknown', auditId: expect.any(String) },
    ]);
  });

  it('keeps no word of an unknown line, and the audit entry of a write that failed', async () => {
    await refused('hunter2 hunter3');
    await refused('OBJECT hunter2 hunter3');
    await test.redis.lpush('shop:l', 'x');
    await refused('INCR shop:l');
    const { items } = await listHistory(test.ctx, { limit: 50 });
    expect(JSON.stringify(items)).not.toContain('hunter');
    expect(items[0]).toMatchObject({ line: 'INCR shop:l', outcome: 'refused', auditId: expect.any(String) });
    expect(await findEntry(test.ctx.store, items[0]!.auditId!)).toMatchObject({ outcome: 'failed' });
  });
});
