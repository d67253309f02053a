import { once } from 'node:events';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoggedCall } from '@/lib/calls/slow-log';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { aclRules, IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { serverContracts } from './schema';
import { nextCount, readSlowLog } from './slow-log';
import { listSlowLog } from './slow-log-list';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const SCRIPT = '<script>alert(1)</script>';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
/** Only what the test's own client runs is logged: a command is slow from 0 µs. */
beforeEach(async () => {
  forget('slow-log', 'slow logs');
  await test.empty();
  await test.redis.config('SET', 'slowlog-max-len', 10_000);
  await test.redis.config('SET', 'slowlog-log-slower-than', 0);
  await test.redis.call('SLOWLOG', 'RESET');
});
afterAll(() => test.close());

const { input, result } = serverContracts.slowLog;
const list = async (raw: object = {}, ctx = test.ctx) =>
  result.parse(await listSlowLog(ctx, input.parse(raw)));
const silent = () => test.redis.config('SET', 'slowlog-log-slower-than', -1);

describe('the slow log', () => {
  it('shows command, family, masked arguments and client, and no value', async () => {
    await test.redis.client('SETNAME', SCRIPT);
    await test.redis.set('author:id:7', 'hunter2', 'EX', 60);
    await test.redis.get(`session:42:${JWT}`);
    await silent();
    const answer = await list({ order: 'newest' });
    const [get, set] = answer.items;
    expect(set).toMatchObject({ command: 'SET', family: 'discours.author-id', own: false, keys: 1 });
    expect(set?.arguments.map(({ text }) => text)).toEqual(['author:id:7', '•••', 'EX', '•••']);
    expect(set?.client).toEqual({ name: SCRIPT, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
    expect(get?.families).toHaveLength(1);
    const whole = JSON.stringify(answer);
    for (const secret of ['hunter2', JWT, JWT.slice(21, 40)]) expect(whole).not.toContain(secret);
  });

  it('names the client of a script for the calls inside it', async () => {
    await test.redis.client('SETNAME', 'checkout');
    await test.redis.eval("return redis.call('GET', KEYS[1])", 1, 'author:id:7');
    const logged = (await test.redis.call('SLOWLOG', 'GET')) as [
      number,
      number,
      number,
      string[],
      string,
      string,
    ][];
    // As Valkey 8 does: its log does not tell calls of scripts from others.
    const namesClient = logged.find(([, , , [name]]) => name === 'GET')![5] === 'checkout';
    await silent();
    await test.redis.call('CLIENT', 'SETNAME', '');
    const { items } = await list({ order: 'newest' });
    const script = items.find(({ command }) => command === 'EVAL');
    const get = items.find(({ command }) => command === 'GET');
    expect(script).toMatchObject({ command: 'EVAL', inScript: false, client: { name: 'checkout' } });
    expect(get).toMatchObject({ command: 'GET', inScript: !namesClient, client: script!.client });
  });

  it('masks a client that names itself like a token', async () => {
    await test.redis.call('CLIENT', 'SETNAME', JWT);
    await test.redis.get('a');
    await silent();
    await test.redis.call('CLIENT', 'SETNAME', '');
    const answer = await list();
    expect(answer.items).toMatchObject([{ command: 'GET' }, {}, {}]);
    expect(JSON.stringify(answer)).not.toContain(JWT.slice(0, 20));
  });

  it('is filtered, ordered and paged, and says which families and commands are slow', async () => {
    for (let i = 0; i < 12; i++) await test.redis.get(`author:id:${i}`);
    await test.redis.eval('for i = 1, 3e6 do end', 0);
    await test.redis.mget('author:id:1', 'topic:id:1');
    await silent();
    const slowest = await list({ order: 'slowest' });
    expect(slowest.items[0]?.command).toBe('EVAL');
    expect(slowest.byCommand[0]).toMatchObject({ id: slowest.items[0]?.command, entries: 1 });
    expect(slowest.byCommand.find(({ id }) => id === 'GET')?.entries).toBe(12);
    expect(slowest.byFamily.find(({ id }) => id === 'discours.author-id')?.entries).toBe(13);
    expect((await list({ minMicros: slowest.items[0]!.durationMicros })).total).toBe(1);
    expect((await list({ family: 'discours.author-id' })).total).toBe(13);
    expect((await list({ q: 'author:id:11' })).total).toBe(1);
    const paged = await allPages((page) => list(page), 4);
    expect(new Set(paged.map(({ id }) => id)).size).toBe(slowest.total);
    expect(paged.map(({ id }) => Number(id))).toEqual(
      paged.map(({ id }) => Number(id)).sort((a, b) => b - a),
    );
  });

  it('hides the own commands of Keyward unless they are asked for', async () => {
    await test.ctx.reader.read(['TYPE', Buffer.from('author:id:1')]);
    await silent();
    expect((await list({ command: 'type' })).total).toBe(0);
    const own = await list({ command: 'type', own: true });
    expect(own.items).toMatchObject([{ own: true, client: { name: 'keyward-read' } }]);
  });

  it('shows what a client runs that only names itself as Keyward does', async () => {
    await test.redis.client('SETNAME', 'keyward-read');
    await test.redis.get('author:id:1');
    await silent();
    await test.redis.client('SETNAME', '');
    const { items } = await list({ command: 'get' });
    expect(items).toMatchObject([{ own: false, saysKeyward: true, client: { name: 'keyward-read' } }]);
  });

  it.skipIf(IS_REDIS_6)('knows its own commands after their connection has ended', async () => {
    const ended = test.handle.topology.primaries()[0]!.dedicated('ask');
    await ended.ready();
    await ended.redis.call('OBJECT', 'HELP');
    const closed = once(ended.redis, 'end');
    ended.close();
    await closed;
    await silent();
    expect((await list({ command: 'object help' })).total).toBe(0);
    const own = await list({ command: 'object help', own: true });
    expect(own.items).toMatchObject([{ own: true, client: { name: 'keyward-ask' } }]);
  });

  it('is read only as far as its bytes allow, also where only the older entries are long', async () => {
    const entry = (bytes: number): LoggedCall => [1, 1, 1, [Buffer.alloc(bytes)]];
    const longest: LoggedCall = [1, 1, 1, Array.from({ length: 32 }, () => Buffer.alloc(150))];
    const read = (each: LoggedCall, count: number) => Array.from({ length: count }, () => each);
    expect(nextCount(read(entry(60), 128), 10_000)).toBe(10_000);
    expect(nextCount(read(longest, 128), 10_000)).toBeLessThan(4000);
    expect(nextCount(read(longest, 4000), 10_000)).toBe(4000);
  });

  it('keeps no argument as it was sent', async () => {
    await test.redis.set('author:id:7', 'hunter2');
    await silent();
    const { entries } = await readSlowLog(test.ctx);
    const [set] = entries.filter(({ call }) => call.command === 'SET');
    expect(set?.call.shown.map(({ text }) => text)).toEqual(['author:id:7', '•••']);
    expect(inspect(set, { depth: 9 })).not.toContain('hunter2');
    expect(Object.values(set!).some((value) => typeof value === 'function')).toBe(false);
  });

  it('is read completely once, and then only what is new; a reset and a restart begin again', {
    tags: ['long'],
  }, async () => {
    for (let i = 0; i < 300; i++) await test.redis.get(`author:id:${i}`);
    await silent();
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
    const before = await sent();
    expect((await list({ command: 'get' })).total).toBe(300);
    const complete = (await sent()) - before;
    await test.redis.config('SET', 'slowlog-log-slower-than', 0);
    await test.redis.get('author:id:new');
    await silent();
    forget('slow-log');
    const between = await sent();
    const again = await list({ command: 'get' });
    expect(again.total).toBe(301);
    expect((await sent()) - between).toBeLessThan(complete);
    await test.redis.call('SLOWLOG', 'RESET');
    forget('slow-log');
    expect(await list()).toMatchObject({ total: 0, length: 0 });
  });

  it.skipIf(IS_REDIS_6)(
    'is unknown with the reason where the server refuses it, and has families where it refuses COMMAND',
    { tags: ['long'] },
    async () => {
      const rights = 'limited on >pass ~* &* +@all -slowlog|get';
      const limited = await testContext({
        apps: ['discours'],
        user: 'limited:pass',
        redisArgs: ['--user', ...aclRules(...rights.split(' '))],
      });
      try {
        const refused = await list({}, limited.ctx);
        expect(refused).toMatchObject({ items: [], refused: { missing: ['SLOWLOG GET'] } });
        expect(refused).toMatchObject({ length: null, read: null, total: null });
        await limited.redis.call('ACL', 'SETUSER', 'limited', '+slowlog|get', '-command');
        await limited.redis.config('SET', 'slowlog-log-slower-than', 0);
        await limited.redis.set('author:id:1', 'hunter2');
        forget('command-tables');
        const answer = await list({ q: 'set' }, limited.ctx);
        const set = answer.items.find(({ command }) => command === 'SET');
        expect(set).toMatchObject({ family: 'discours.author-id', keys: 1 });
        expect(set?.arguments.map(({ text }) => text)).toEqual(['author:id:1', '•••']);
        expect(answer.missing).toEqual([]);
        // What is known is not read again.
        const big = async () =>
          Number(/cmdstat_slowlog\|get:calls=(\d+)/.exec(await limited.redis.info('commandstats'))?.[1]);
        for (let i = 0; i < 200; i++) await limited.redis.get(`author:id:${i}`);
        await limited.redis.config('SET', 'slowlog-log-slower-than', -1);
        forget('slow-log', 'slow logs');
        expect((await list({ command: 'get' }, limited.ctx)).total).toBeGreaterThan(100);
        forget('slow-log');
        const before = await big();
        await list({}, limited.ctx);
        expect((await big()) - before).toBe(1);
      } finally {
        await limited.close();
      }
    },
  );
});
