import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { QueueProbe } from '@/lib/sampler/queue-probe';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { ratesOf, readQueueSeries } from './history';
import { takeNoticed } from './noticed';
import { listQueues, peekQueue } from './reads';
import { queueContracts } from './schema';
import { readStates } from './states';

const TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  forget('role keys');
  await test.empty();
});
afterAll(() => test.close());

const list = async (raw: object = {}) => {
  const { input, result } = queueContracts.list;
  return result.parse(await listQueues(test.ctx, input.parse(raw)));
};
const one = async (key: string) => (await list()).items.find((item) => item.key === key)!;

const idOf = (key: string): string => Buffer.from(key).toString('base64url');
const peek = async (key: string, raw: object = {}) => {
  const { input, result } = queueContracts.peek;
  return result.parse(await peekQueue(test.ctx, input.parse({ keyId: idOf(key), ...raw })));
};
const texts = ({ items }: Awaited<ReturnType<typeof peek>>) => items.map(({ value }) => value?.text);

const sampling = () => {
  const probe = new QueueProbe(test.handle, test.ctx.store);
  let now = Date.now();
  return {
    sample: async () => {
      now += 10 * SECOND;
      await probe.tick(() => now);
      return now;
    },
    list: async (key: string) => {
      const { items } = await listQueues({ ...test.ctx, now: () => now }, { limit: 100 });
      return items.find((item) => item.key === key);
    },
    now: () => now,
    probe,
  };
};

const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('queues', () => {
  it('are lists, sorted sets of delayed tasks, and streams, by name', async () => {
    await test.redis.rpush('queue:email:pending', 'first', 'second', 'third', 'fourth');
    await test.redis.zadd('delayed:tasks', nowSeconds() - 60, 'late', nowSeconds() + 3600, 'later');
    await test.redis.xadd('queue:events', '1700000000000-0', 'kind', 'signup');
    await test.redis.set('unrelated', 'x');
    const { items, ...page } = await list();
    expect(page).toEqual({ nextCursor: null, total: 3, complete: true, foundAt: expect.any(String) });
    expect(items.map(({ key, name, type, length }) => [key, name, type, length])).toEqual([
      ['delayed:tasks', 'tasks', 'zset', 2],
      ['queue:email:pending', 'email:pending', 'list', 4],
      ['queue:events', 'events', 'stream', 1],
    ]);
    const [delayed, email, events] = items;
    expect(delayed).toMatchObject({ due: 1, problem: null, family: 'common.delayed', ttlSeconds: null });
    expect(Date.parse(delayed!.nextDueAt!)).toBeGreaterThan(Date.now() + 3500 * SECOND);
    expect(delayed!.oldest).toMatchObject({ preview: { value: { text: 'late' } } });
    expect(delayed!.oldest!.ageSeconds).toBeGreaterThanOrEqual(60);
    expect(email).toMatchObject({ due: null, nextDueAt: null, oldestAt: 'head', takenFrom: null });
    expect(email).toMatchObject({ inPerSecond: null, outPerSecond: null, ratesAreAtLeast: false });
    expect(email!.oldest).toMatchObject({
      at: null,
      ageSeconds: null,
      preview: { value: { text: 'first' } },
    });
    expect(email!.peek.map(({ value }) => value!.text)).toEqual(['first', 'second', 'third']);
    expect(events!.oldest!.at).toBe('2023-11-14T22:13:20.000Z');
    expect(events!.peek[0]).toMatchObject({ entryId: '1700000000000-0', value: null });
    expect(events!.peek[0]!.fields![0]!.value.text).toBe('signup');
  });

  it.each([
    ['created_at', (ms: number) => iso(ms)],
    ['timestamp', (ms: number) => ms],
    ['enqueued_at', (ms: number) => ms / 1000],
    ['at', (ms: number) => `${Math.floor(ms / 1000)}`],
  ])('are as old as the %s of their oldest element', async (name, written) => {
    const ms = Date.now() - 90 * SECOND;
    await test.redis.rpush('queue:jobs', JSON.stringify({ id: 1, [name]: written(ms) }), 'x');
    const { oldest } = await one('queue:jobs');
    expect(Math.abs(Date.parse(oldest!.at!) - ms)).toBeLessThanOrEqual(SECOND);
    expect(oldest!.ageSeconds).toBeGreaterThanOrEqual(89);
  });

  it('are not as old as a time that is later, or no time', async () => {
    const later = JSON.stringify({ at: iso(Date.now() + MINUTE), time: 'soon', ts: 5 });
    await test.redis.rpush('queue:a', later);
    await test.redis.rpush('queue:b', '{"created_at":');
    await test.redis.rpush('queue:c', '[1]', '{}');
    // An id that the application counts itself.
    await test.redis.xadd('queue:d', '1-0', 'n', '1');
    for (const { oldest } of (await list()).items)
      expect(oldest).toMatchObject({ at: null, ageSeconds: null });
  });

  describe('of streams', () => {
    const QUEUE = 'queue:s';
    const stateOf = async (queue: string) => {
      const { byId } = await readStates(test.ctx.store, test.handle.config.id);
      return [...byId.values()].find(({ key }) => key.toString() === queue);
    };
    const fill = async (count: number) => {
      for (let i = 1; i <= count; i++)
        await test.redis.xadd(QUEUE, `${1_700_000_000_000 + i}-0`, 'n', `${i}`);
    };
    const readAs = (group: string, count: number) =>
      test.redis.xreadgroup('GROUP', group, 'worker', 'COUNT', count, 'STREAMS', QUEUE, '>');
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `${1_700_000_000_000 + from + i}-0`);

    it('wait for the group that is furthest behind, whatever stays in the stream', async () => {
      await fill(5);
      expect(await one(QUEUE)).toMatchObject({ length: 5, entries: 5, groups: [] });
      for (const group of ['mail', 'search']) await test.redis.xgroup('CREATE', QUEUE, group, '0');
      await readAs('mail', 5);
      await test.redis.xack(QUEUE, 'mail', ...ids(1, 5));
      expect(await one(QUEUE)).toMatchObject({
        length: IS_REDIS_6 ? null : 5,
        entries: 5,
        peek: [{ entryId: ids(1, 1)[0] }, {}, {}],
        groups: [
          { name: { text: 'mail' }, lag: 0, pending: 0, consumerCount: 1 },
          { name: { text: 'search' }, lag: IS_REDIS_6 ? null : 5, pending: 0, consumers: [] },
        ],
      });
      await readAs('search', 5);
      await test.redis.xack(QUEUE, 'search', ...ids(1, 3));
      expect(await one(QUEUE)).toMatchObject({ length: 2, peek: [{ entryId: ids(4, 4)[0] }, {}] });
      expect((await one(QUEUE)).groups![1]!.consumers).toMatchObject([
        { name: { text: 'worker' }, pending: 2 },
      ]);
      await test.redis.xack(QUEUE, 'search', ...ids(4, 5));
      // The case of an application whose five entries were all acknowledged.
      expect(await one(QUEUE)).toMatchObject({ length: 0, oldest: null, peek: [], entries: 5 });
    });

    it.skipIf(IS_REDIS_6)('are of unknown length where the server does not know a lag, never 0', async () => {
      await fill(5);
      await test.redis.xgroup('CREATE', QUEUE, 'g', '0');
      await readAs('g', 1);
      await test.redis.xdel(QUEUE, ids(4, 4)[0]!);
      const { sample, list: listAt } = sampling();
      expect(await one(QUEUE)).toMatchObject({ length: null, groups: [{ lag: null, pending: 1 }] });
      await sample();
      expect(await stateOf(QUEUE)).toBeUndefined();
      await readAs('g', 5);
      await test.redis.xack(QUEUE, 'g', ...ids(1, 5));
      await sample();
      expect(await listAt(QUEUE)).toMatchObject({ length: 0, groups: [{ lag: 0, pending: 0 }] });
      expect(await stateOf(QUEUE)).toMatchObject({ length: 0 });
    });

    it('may not be known to our user', async () => {
      await fill(2);
      await test.redis.acl('SETUSER', 'default', '-xinfo');
      expect(await one(QUEUE)).toMatchObject({ length: null, groups: null, entries: 2 });
      await test.redis.acl('SETUSER', 'default', '+xinfo');
    });
  });

  it('read the unit of scores, and are not delayed where scores are no times', async () => {
    await test.redis.zadd('delayed:ms', Date.now() - 5000, 'a', Date.now() + 60_000, 'b');
    await test.redis.zadd('delayed:now', '-inf', 'a', nowSeconds() + 60, 'b');
    await test.redis.zadd('delayed:priority', 1, 'a', 2, 'b', '+inf', 'c');
    await test.redis.zadd('delayed:infinite', '-inf', 'a', '+inf', 'b');
    const due = Object.fromEntries(
      (await list()).items.map(({ name, due, nextDueAt, oldest }) => [
        name,
        [due, nextDueAt !== null, oldest!.preview.score],
      ]),
    );
    expect(due).toEqual({
      ms: [1, true, expect.stringMatching(/^\d{13}$/)],
      now: [1, true, '-inf'],
      priority: [null, false, '1'],
      infinite: [null, false, '-inf'],
    });
  });

  it('show hostile elements as text, cut, with secrets masked', { tags: 'long' }, async () => {
    await test.redis.rpush('queue:hostile', Buffer.from([0xff, 0x00, 0x41]), TOKEN, '<script>\n</script>');
    await test.redis.rpush(
      'queue:long',
      'x'.repeat(10 * 2 ** 20),
      JSON.stringify({ password: 'hunter2-secret' }),
    );
    const [hostile, long] = (await list()).items;
    expect(hostile!.peek[0]!.value).toMatchObject({ text: null, base64: '/wBB', bytes: 3 });
    expect(hostile!.peek[1]!.value).toMatchObject({ text: '•••', masked: true });
    expect(hostile!.peek[2]!.value!.text).toBe('<script>\n</script>');
    expect(long!.peek[0]!.value).toMatchObject({ bytes: 10 * 2 ** 20, truncated: true });
    expect(long!.peek[0]!.value!.text).toHaveLength(512);
    expect(JSON.stringify(long)).not.toContain('hunter2');
    expect(JSON.stringify(await list()).length).toBeLessThan(8000);
    // A cut does not leave half a character.
    await test.redis.rpush('queue:cut', `x${'😀'.repeat(600)}`);
    forget('role keys');
    expect((await one('queue:cut')).peek[0]!.value!.text).toBe(`x${'😀'.repeat(255)}`);
  });

  it('of another type, and those that are gone or replaced meanwhile, are shown as that', async () => {
    await test.redis.set('queue:string', 'x');
    await test.redis.rpush('queue:gone', 'x');
    await test.redis.rpush('queue:list', 'x');
    expect(await one('queue:string')).toMatchObject({ problem: 'wrongType', length: null, type: 'string' });
    const { reader } = test.ctx;
    const replaced = {
      ...reader,
      readMany: (async (commands: Parameters<typeof reader.readMany>[0]) => {
        if (commands[0]?.[0] === 'LLEN') await test.redis.set('queue:list', 'not a list');
        return reader.readMany(commands);
      }) as typeof reader.readMany,
    };
    await test.redis.del('queue:gone');
    const { items } = await listQueues({ ...test.ctx, reader: replaced }, { limit: 10 });
    const byName = Object.fromEntries(items.map((item) => [item.name, item]));
    expect(byName.gone).toMatchObject({ type: 'none', length: 0, oldest: null, problem: null });
    expect(byName.list).toMatchObject({ type: 'list', length: null, problem: 'wrongType' });
  });

  it('are paged by name, and a cursor reveals no name', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `queue:n${String(i).padStart(2, '0')}`);
    for (const name of names) await test.redis.rpush(name, 'x');
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 10, ...(cursor && { cursor }) });
      found.push(...page.items.map(({ key }) => key));
      cursor = page.nextCursor ?? undefined;
      if (cursor) expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('queue');
    } while (cursor);
    expect(found).toEqual(names);
    expect((await problemOf(list({ cursor: 'eHg' }))).status).toBe(400);
  });

  it('are found by a part of their names as shown, and by their id', async () => {
    await test.redis.rpush('queue:email:pending', 'x');
    await test.redis.rpush('queue:sms', 'x');
    await test.redis.rpush(`queue:${TOKEN}`, 'x');
    const found = async (raw: object) => (await list(raw)).items.map(({ key }) => key);
    expect(await found({ q: 'EMAIL' })).toEqual(['queue:email:pending']);
    expect(await found({ q: TOKEN.slice(0, 20) })).toEqual([]);
    expect(await found({ keyId: idOf('queue:sms') })).toEqual(['queue:sms']);
    const [empty] = (await list({ keyId: idOf('queue:none') })).items;
    expect(empty).toMatchObject({ key: 'queue:none', type: 'none', length: 0, problem: null });
    // Who asks for a key that is not there has no sample made of it.
    expect(takeNoticed(test.handle)).not.toContainEqual(Buffer.from('queue:none'));
    expect((await problemOf(list({ keyId: idOf('other') }))).status).toBe(404);
  });

  it('of 5 000 000 elements cost as much as of five', { tags: ['long'] }, async () => {
    await test.redis.eval(
      `local batch = {} for i = 1, 5000 do batch[i] = 'job' .. i end
       for _ = 1, 1000 do redis.call('RPUSH', KEYS[1], unpack(batch)) end`,
      1,
      'queue:big',
    );
    await test.redis.rpush('queue:small', 'a', 'b', 'c', 'd', 'e');
    await list();
    const commandsOf = async (work: () => Promise<unknown>) => {
      const stats = async () => {
        const info = await test.redis.info('all');
        const of = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)![1]);
        return [of('total_commands_processed'), of('total_net_output_bytes')] as const;
      };
      const before = await stats();
      await work();
      const after = await stats();
      // Without the first INFO itself, which is counted with its long reply.
      return { commands: after[0] - before[0], bytes: after[1] - before[1] };
    };
    const infoOnly = await commandsOf(async () => undefined);
    const big = await commandsOf(() => peek('queue:big', { limit: 20, from: 'tail' }));
    const small = await commandsOf(() => peek('queue:small', { limit: 20, from: 'tail' }));
    expect(big.commands - small.commands).toBe(0);
    expect(big.commands - infoOnly.commands).toBeLessThanOrEqual(8);
    expect(big.bytes - infoOnly.bytes).toBeLessThan(2000);
    const all = await commandsOf(() => list());
    expect(all.commands - infoOnly.commands).toBeLessThan(40);
    expect(all.bytes - infoOnly.bytes).toBeLessThan(4000);
    expect(await one('queue:big')).toMatchObject({ length: 5_000_000, oldestAt: 'head' });
  });
});

describe('the elements of a queue', () => {
  it('are read from either end, page by page, at most 50', async () => {
    await test.redis.rpush('queue:q', ...Array.from({ length: 120 }, (_, i) => `${i}`));
    const head = await peek('queue:q', { limit: 1000 });
    expect(head).toMatchObject({ type: 'list', length: 120 });
    expect(texts(head)).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
    const tail = await peek('queue:q', { from: 'tail', limit: 50 });
    expect(texts(tail)[0]).toBe('119');
    const second = await peek('queue:q', { from: 'tail', limit: 50, cursor: tail.nextCursor });
    const third = await peek('queue:q', { from: 'tail', limit: 50, cursor: second.nextCursor });
    expect([...texts(tail), ...texts(second), ...texts(third)]).toEqual(
      Array.from({ length: 120 }, (_, i) => `${119 - i}`),
    );
    expect(third.nextCursor).toBeNull();
  });

  it('are unknown where our user may not read them', async () => {
    await test.redis.rpush('queue:q', 'x');
    const { reader } = test.ctx;
    const refused = {
      ...reader,
      readMany: (async (commands: Parameters<typeof reader.readMany>[0]) =>
        (await reader.readMany(commands)).map((reply, i) =>
          commands[i]![0] === 'TYPE' ? new Error('NOPERM') : reply,
        )) as typeof reader.readMany,
    };
    const input = queueContracts.peek.input.parse({ keyId: idOf('queue:q') });
    expect(await peekQueue({ ...test.ctx, reader: refused }, input)).toMatchObject({
      length: null,
      items: [],
      problem: 'unreadable',
    });
  });

  it('are read by a user who may not ask for their memory', async () => {
    await test.redis.rpush('queue:q', 'a', 'b');
    const { reader } = test.ctx;
    const refused = {
      ...reader,
      readMany: (async (commands: Parameters<typeof reader.readMany>[0]) => {
        if (commands.some(([name]) => name === 'MEMORY USAGE')) throw new Problem('not_permitted', 'No.');
        return reader.readMany(commands);
      }) as typeof reader.readMany,
    };
    const input = queueContracts.peek.input.parse({ keyId: idOf('queue:q') });
    const found = await peekQueue({ ...test.ctx, reader: refused }, input);
    expect([found.length, found.items.length, found.problem]).toEqual([2, 2, null]);
  });

  it('are fewer where they are large, and all of them are reached', { tags: ['long'] }, async () => {
    for (let i = 0; i < 6; i++) await test.redis.rpush('queue:large', `${i}`.repeat(2 ** 20));
    for (let i = 0; i < 6; i++) await test.redis.zadd('delayed:large', i, `${i}`.repeat(2 ** 20));
    for (let i = 0; i < 6; i++) await test.redis.xadd('queue:s', '*', 'n', `${i}`.repeat(2 ** 20));
    for (const key of ['queue:large', 'delayed:large', 'queue:s']) {
      const pages: string[][] = [];
      let cursor: string | null = null;
      do {
        const { items, nextCursor }: Awaited<ReturnType<typeof peek>> = await peek(key, {
          limit: 50,
          ...(cursor && { cursor }),
        });
        pages.push(items.map(({ value, fields }) => (value ?? fields![0]!.value).text!.slice(0, 1)));
        cursor = nextCursor;
      } while (cursor);
      expect([key, pages.flat()]).toEqual([key, ['0', '1', '2', '3', '4', '5']]);
      expect([key, Math.max(...pages.map(({ length }) => length)) <= 2]).toEqual([key, true]);
      expect([key, (await one(key)).peek.length <= 2]).toEqual([key, true]);
    }
  });

  it('of sorted sets are in the order of their scores, of streams in that of their ids', async () => {
    await test.redis.zadd('delayed:d', 3, 'c', 1, 'a', 2, 'b');
    expect(texts(await peek('delayed:d'))).toEqual(['a', 'b', 'c']);
    expect(texts(await peek('delayed:d', { from: 'tail', limit: 2 }))).toEqual(['c', 'b']);
    for (const id of [1, 2, 3])
      await test.redis.xadd('queue:s', `${id}-0`, 'n', `${id}`, 'password', 'hunter2');
    const newest = await peek('queue:s', { from: 'tail', limit: 2 });
    expect(newest.items.map(({ entryId }) => entryId)).toEqual(['3-0', '2-0']);
    expect(JSON.stringify(newest)).not.toContain('hunter2');
    const last = await peek('queue:s', { from: 'tail', limit: 2, cursor: newest.nextCursor });
    expect([last.items.map(({ entryId }) => entryId), last.nextCursor]).toEqual([['1-0'], null]);
    expect((await peek('queue:s')).items[0]!.entryId).toBe('1-0');
  });

  it('are none of an empty queue or another type; what is no queue by its name is not found', async () => {
    const none = { items: [], nextCursor: null };
    expect(await peek('queue:none')).toEqual({ ...none, type: 'none', length: 0, problem: null });
    await test.redis.set('queue:string', 'x');
    expect(await peek('queue:string')).toEqual({
      ...none,
      type: 'string',
      length: null,
      problem: 'wrongType',
    });
    await test.redis.rpush('other', 'x');
    expect((await problemOf(peek('other'))).status).toBe(404);
    await test.redis.rpush('queue:q', 'x');
    for (const cursor of ['x', 'WyIxIl0', 'Wy01XQ', 'WzEuNV0'])
      expect([cursor, (await problemOf(peek('queue:q', { cursor }))).status]).toEqual([cursor, 400]);
  });
});

describe('samples of queues', () => {
  const series = async (key: string, at: number) => {
    const range = { from: iso(at - 10 * MINUTE), to: iso(at + 10 * MINUTE), stepSeconds: 10 };
    return (await readQueueSeries(test.ctx, { keyId: idOf(key), ...range })).points;
  };

  /** A probe whose samples are ten seconds apart, each after the work before it. */

  it.skipIf(IS_REDIS_6).each([
    ['RPUSH and LPOP', 'rpush', 'lpop', 'head'],
    ['LPUSH and RPOP', 'lpush', 'rpop', 'tail'],
  ] as const)('have the rates that %s made', async (_, push, pop, takenFrom) => {
    let id = 0;
    const pushed = (count: number) =>
      test.redis[push]('queue:q', ...Array.from({ length: count }, () => JSON.stringify({ id: id++ })));
    await pushed(100);
    const { sample, list: listAt, now } = sampling();
    await sample();
    expect(await listAt('queue:q')).toMatchObject({ length: 100, inPerSecond: null, outPerSecond: null });
    await pushed(40);
    await test.redis[pop]('queue:q', 25);
    await sample();
    expect(await listAt('queue:q')).toMatchObject({
      length: 115,
      inPerSecond: 4,
      outPerSecond: 2.5,
      ratesAreAtLeast: false,
      takenFrom,
      oldestAt: takenFrom,
      oldest: { preview: { value: { text: '{"id":25}' } } },
    });
    await test.redis[pop]('queue:q', 15);
    await sample();
    expect(await listAt('queue:q')).toMatchObject({
      inPerSecond: 2,
      outPerSecond: 2,
      ratesAreAtLeast: false,
    });
    expect((await series('queue:q', now())).map(({ at: _at, ...point }) => point)).toEqual([
      { length: 100, inPerSecond: null, outPerSecond: null, ratesAreAtLeast: false },
      { length: 115, inPerSecond: 4, outPerSecond: 2.5, ratesAreAtLeast: false },
      { length: 100, inPerSecond: 0, outPerSecond: 1.5, ratesAreAtLeast: false },
    ]);
  });

  it('have lower bounds where elements are alike, large, or all gone', async () => {
    await test.redis.rpush('queue:alike', 'x', 'x', 'x');
    await test.redis.rpush('queue:large', 'a'.repeat(10_000), 'b'.repeat(10_000));
    await test.redis.rpush('queue:fast', 'a', 'b');
    await test.redis.zadd('delayed:tasks', 1, 'a');
    const { sample, list: listAt } = sampling();
    await sample();
    await test.redis.rpush('queue:alike', 'x', 'x');
    await test.redis.lpop('queue:alike');
    await test.redis.rpush('queue:large', 'c'.repeat(10_000));
    await test.redis.rpush('queue:fast', 'c', 'd', 'e');
    await test.redis.lpop('queue:fast', 4);
    await test.redis.zadd('delayed:tasks', 2, 'b', 3, 'c');
    await sample();
    expect(await listAt('queue:alike')).toMatchObject({
      inPerSecond: 0.1,
      outPerSecond: 0,
      ratesAreAtLeast: true,
    });
    expect(await listAt('queue:large')).toMatchObject({
      inPerSecond: 0.1,
      outPerSecond: 0,
      ratesAreAtLeast: true,
    });
    expect(await listAt('queue:fast')).toMatchObject({
      inPerSecond: 0,
      outPerSecond: 0.1,
      ratesAreAtLeast: true,
    });
    expect(await listAt('delayed:tasks')).toMatchObject({ inPerSecond: 0.2, ratesAreAtLeast: true });
  });

  it('have lower bounds for a stack, and where an element is pushed again', async () => {
    await test.redis.rpush('queue:stack', 'a', 'b', 'c');
    await test.redis.rpush('queue:again', 'a', 'b', 'c', 'd', 'e');
    const { sample, list: listAt } = sampling();
    await sample();
    for (let i = 0; i < 50; i++) {
      await test.redis.lpush('queue:stack', `job-${i}`);
      await test.redis.lpop('queue:stack');
    }
    await test.redis.lmove('queue:again', 'queue:again', 'LEFT', 'RIGHT');
    await sample();
    for (const key of ['queue:stack', 'queue:again'])
      expect(await listAt(key)).toMatchObject({ inPerSecond: 0, outPerSecond: 0, ratesAreAtLeast: true });
  });

  it.skipIf(IS_REDIS_6)('have what a stream counted itself', async () => {
    for (let i = 0; i < 5; i++) await test.redis.xadd('queue:s', '*', 'n', i);
    const { sample, list: listAt } = sampling();
    await sample();
    for (let i = 0; i < 20; i++) await test.redis.xadd('queue:s', '*', 'n', i);
    await test.redis.xtrim('queue:s', 'MAXLEN', 10);
    await sample();
    expect(await listAt('queue:s')).toMatchObject({
      length: 10,
      inPerSecond: 2,
      outPerSecond: 1.5,
      ratesAreAtLeast: false,
    });
  });

  it.skipIf(IS_REDIS_6)(
    'are never negative where a key is deleted, expires, or becomes another',
    async () => {
      await test.redis.rpush('queue:a', 'a', 'b', 'c');
      await test.redis.rpush('queue:b', 'a', 'b', 'c');
      for (let i = 0; i < 9; i++) await test.redis.xadd('queue:c', '*', 'n', i);
      const { sample, list: listAt, now } = sampling();
      await sample();
      await test.redis.del('queue:a', 'queue:b', 'queue:c');
      await test.redis.set('queue:b', 'a string');
      await test.redis.xadd('queue:c', '*', 'n', 0);
      await sample();
      expect(await listAt('queue:a')).toMatchObject({
        type: 'none',
        length: 0,
        inPerSecond: 0,
        outPerSecond: 0.3,
        ratesAreAtLeast: true,
      });
      expect(await listAt('queue:b')).toMatchObject({ problem: 'wrongType', inPerSecond: null });
      expect(await listAt('queue:c')).toMatchObject({ length: 1, inPerSecond: null, outPerSecond: null });
      await test.redis.rpush('queue:a', 'd');
      await sample();
      expect(await series('queue:a', now())).toMatchObject([
        { length: 3 },
        { length: 0, inPerSecond: 0, outPerSecond: 0.3 },
        { length: 1, inPerSecond: 0.1, outPerSecond: 0 },
      ]);
    },
  );

  it('keep an empty queue in the list for an hour, in another process too', async () => {
    await test.redis.rpush('queue:q', 'a');
    const { sample, list: listAt, now, probe } = sampling();
    await sample();
    await test.redis.del('queue:q');
    forget('role keys');
    expect(await listAt('queue:q')).toMatchObject({ type: 'none', length: 0 });
    probe.pause();
    await sample();
    expect(await listAt('queue:q')).toMatchObject({ length: 0 });
    const late = { ...test.ctx, now: () => now() + 61 * MINUTE };
    expect((await listQueues(late, { limit: 10 })).items).toEqual([]);
  });

  it('keep the digits of a small rate', () => {
    const span = { taken: 0, isAtLeast: false };
    expect(ratesOf({ ...span, pushed: 3, seconds: 3600 }).inPerSecond).toBe(0.00083);
    expect(ratesOf({ ...span, pushed: 1235, seconds: 10 }).inPerSecond).toBe(123.5);
    expect(ratesOf({ ...span, pushed: 0, seconds: 10 }).inPerSecond).toBe(0);
  });

  it('are none of a time without samples: rates of then are not those of now', async () => {
    await test.redis.rpush('queue:q', 'a', 'b');
    const { sample, now } = sampling();
    await sample();
    await sample();
    const at = (ms: number) => listQueues({ ...test.ctx, now: () => now() + ms }, { limit: 10 });
    expect((await at(20 * SECOND)).items[0]).toMatchObject({ inPerSecond: 0, outPerSecond: 0 });
    expect((await at(MINUTE)).items[0]).toMatchObject({ inPerSecond: null, outPerSecond: null });
  });

  it('find a queue that somebody looks at before the next scan', async () => {
    const { sample, list: listAt, now } = sampling();
    await sample();
    await test.redis.rpush('queue:new', 'a');
    forget('role keys');
    await listAt('queue:new');
    await sample();
    expect(await series('queue:new', now())).toHaveLength(1);
  });

  it.skipIf(IS_REDIS_6)(
    'cost a few short commands, however long the queue and its elements are',
    { tags: ['long'] },
    async () => {
      await test.redis.eval(
        `local batch = {} for i = 1, 5000 do batch[i] = 'job' .. i end
       for _ = 1, 200 do redis.call('RPUSH', KEYS[1], unpack(batch)) end`,
        1,
        'queue:big',
      );
      await test.redis.rpush('queue:large', 'x'.repeat(10 * 2 ** 20), 'y'.repeat(10 * 2 ** 20));
      const { sample } = sampling();
      await sample();
      const monitor = await test.redis.monitor();
      const seen: string[][] = [];
      monitor.on('monitor', (_time: string, args: string[]) => seen.push(args));
      await sample();
      await test.redis.echo('end');
      await expect.poll(() => seen.some(([name]) => name?.toLowerCase() === 'echo')).toBe(true);
      monitor.disconnect();
      const named = seen.map(([name, ...args]) => [name!.toUpperCase(), ...args]);
      const ofBig = named.filter(([name, key]) => key === 'queue:big' && name !== 'EVALSHA_RO');
      expect(ofBig.map(([name]) => name).sort()).toEqual([
        'LINDEX',
        'LINDEX',
        'LLEN',
        'LPOS',
        'LPOS',
        'LPOS',
        'LPOS',
        'TYPE',
      ]);
      expect(named.filter(([name, key]) => key === 'queue:large' && name === 'LINDEX')).toEqual([]);
      // The element of 10 MB is never sent, nor read.
      expect(Math.max(...seen.flat().map((arg) => arg.length))).toBeLessThan(5000);
    },
  );

  it('are limited in number, and expire', async () => {
    await test.redis.rpush('queue:q', 'a');
    await sampling().sample();
    const keys = await test.storeRedis.keys('keyward:queue-*');
    expect(keys.length).toBeGreaterThanOrEqual(3);
    for (const key of keys) expect([key, (await test.storeRedis.pttl(key)) > 0]).toEqual([key, true]);
    // Names are sealed in the store.
    for (const key of keys) expect(key).not.toContain('queue:q');
    const state = await test.storeRedis.hvals('keyward:queue-states:main');
    expect(state.join()).not.toContain(Buffer.from('queue:q').toString('base64url').slice(0, 8));
  });
});
