import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { exactly } from '@/scripts/testing/round-trip';
import { CallQueue, ScanBudget } from './budget';
import { openConnections } from './connections';
import { scanKeys } from './scan';
import { isScanCursor, isServerCursor } from './scan-nodes';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const fill = async (count: number) => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < count; i++) pipeline.set(`k:${i}`, '');
  await pipeline.exec();
};

const LIMITS = { chunk: 50, pauseMs: 1, maxAddedLatencyMs: 5 };

describe('a scan', () => {
  it('gives every key, in chunks about as large as asked for', async () => {
    await fill(2000);
    const found = new Set<string>();
    let chunks = 0;
    for await (const { keys } of scanKeys(test.handle, {
      budget: new ScanBudget({ ...LIMITS, pauseMs: 0 }),
    })) {
      expect(keys.length).toBeLessThan(200);
      for (const key of keys) found.add(key.toString());
      chunks += 1;
    }
    expect(found.size).toBe(2000);
    expect(chunks).toBeGreaterThan(20);
  });

  it('goes on where another stopped', async () => {
    await fill(2000);
    const found = new Set<string>();
    let cursor: string | null | undefined;
    while (cursor !== null) {
      for await (const chunk of scanKeys(test.handle, { cursor, budget: new ScanBudget(LIMITS) })) {
        for (const key of chunk.keys) found.add(key.toString());
        cursor = chunk.cursor;
        break;
      }
    }
    expect(found.size).toBe(2000);
  });

  it('takes a glob with bytes that are no text', async () => {
    const odd = Buffer.from([0xff, 0x00, 0xfe]);
    await test.redis.set(odd, 'x');
    await fill(20);
    const found: Buffer[] = [];
    const match = Buffer.concat([Buffer.from([0xff]), Buffer.from('*')]);
    for await (const { keys } of scanKeys(test.handle, { match })) found.push(...keys);
    expect(found.map((key) => key.toString('hex'))).toEqual([odd.toString('hex')]);
  });

  it('stops when it is aborted, also while it waits', async () => {
    await fill(5000);
    const controller = new AbortController();
    const budget = new ScanBudget({ chunk: 10, pauseMs: 10_000, maxAddedLatencyMs: 5 });
    const started = performance.now();
    const walk = async () => {
      for await (const { keys } of scanKeys(test.handle, { budget, signal: controller.signal })) {
        expect(keys).toBeDefined();
        setImmediate(() => controller.abort(new Error('enough')));
      }
    };
    await expect(walk()).rejects.toThrow('enough');
    expect(performance.now() - started).toBeLessThan(2000);
    const never = scanKeys(test.handle, { signal: controller.signal });
    await expect(never.next()).rejects.toThrow('enough');
  });

  it('is over at once on an empty server', async () => {
    const chunks = [];
    for await (const chunk of scanKeys(test.handle)) chunks.push(chunk);
    expect(chunks).toMatchObject([{ keys: [], cursor: null, share: 1 }]);
  });
});

describe('a cursor', () => {
  it('is taken for one only if Redis takes it', async () => {
    await test.redis.sadd('set', 'a');
    for (const cursor of ['0', '1', '18446744073709551615']) {
      expect([isServerCursor(cursor), isScanCursor(`e:${cursor}`)]).toEqual([true, true]);
      expect((await scanKeys(test.handle, { cursor }).next()).done).toBe(false);
      await test.ctx.reader.scanCollection('SSCAN', Buffer.from('set'), cursor);
    }
    for (const cursor of ['18446744073709551616', '99999999999999999999', '-1', '1.5', '', 'x', '0x1'])
      expect([cursor, isServerCursor(cursor), isScanCursor(`e:${cursor}`)]).toEqual([cursor, false, false]);
  });

  it('tells about how much of the keyspace was gone through', async () => {
    await fill(5000);
    let seen = 0;
    let before = 0;
    const budget = new ScanBudget({ ...LIMITS, pauseMs: 0 });
    for await (const { keys, cursor, share } of scanKeys(test.handle, { budget, withShare: true })) {
      seen += keys.length;
      expect(share === 1).toBe(cursor === null);
      expect(share).toBeGreaterThan(before);
      expect(Math.abs(seen / 5000 - share)).toBeLessThan(0.06);
      before = share;
    }
    expect(before).toBe(1);
  });
});

describe('the budget', () => {
  it('waits longer while the server answers late, and recovers with it', () => {
    const budget = new ScanBudget(LIMITS);
    expect(budget.state()).toEqual({ ...LIMITS, currentPauseMs: 1, latencyMs: null, backedOff: false });
    for (let i = 0; i < 5; i++) budget.record(exactly(1));
    expect(budget.state()).toMatchObject({ currentPauseMs: 1, latencyMs: 1, backedOff: false });
    for (let i = 0; i < 5; i++) budget.record(exactly(40));
    const slow = budget.state();
    expect(slow.backedOff).toBe(true);
    expect(slow.currentPauseMs).toBeGreaterThanOrEqual(16);
    expect(slow.latencyMs).toBeGreaterThan(10);
    for (let i = 0; i < 30; i++) budget.record(exactly(1));
    expect(budget.state()).toMatchObject({ currentPauseMs: 1, backedOff: false });
  });

  it('takes what this process was busy with for no latency of the server', async () => {
    const budget = new ScanBudget(LIMITS);
    budget.record(exactly(1));
    for (let i = 0; i < 20; i++) budget.record({ least: 0.5, most: 80 });
    expect(budget.state()).toMatchObject({ backedOff: false });
    for (let i = 0; i < 20; i++) budget.record({ least: 40, most: 80 });
    expect(budget.state()).toMatchObject({ backedOff: true });
  });

  it('never waits longer than a quarter of a second', async () => {
    const budget = new ScanBudget({ ...LIMITS, pauseMs: 0 });
    budget.record(exactly(1));
    for (let i = 0; i < 20; i++) budget.record(exactly(5000));
    expect(budget.state().currentPauseMs).toBe(250);
  });
});

describe('walks of one server', () => {
  /** Walks of a few calls each; who called, in order, and how many calls were under way at most. */
  const walkTogether = async (budgets: readonly ScanBudget[], calls: number) => {
    const order: number[] = [];
    let [active, most] = [0, 0];
    const walk = async (budget: ScanBudget, who: number) => {
      const runPaced = budget.walk();
      for (let i = 0; i < calls; i++)
        await runPaced(async () => {
          active += 1;
          most = Math.max(most, active);
          order.push(who);
          await new Promise(setImmediate);
          active -= 1;
          return exactly(1);
        });
    };
    await Promise.all(budgets.map(walk));
    return { order, most };
  };

  it('take turns, one call at a time with a pause before each: twenty send no more than one does', async () => {
    const budget = new ScanBudget(LIMITS);
    const pauseBetween = budget.pauseBetween.bind(budget);
    let pauses = 0;
    budget.pauseBetween = (...args) => {
      pauses += 1;
      return pauseBetween(...args);
    };
    const { order, most } = await walkTogether(new Array(20).fill(budget), 5);
    expect(most).toBe(1);
    expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i % 20));
    // A walk's first call has no round trip to note, and waits for the rest of the pause all the same.
    expect(pauses).toBe(80);
  });

  it('take turns across connections to its databases, and not with those of another server', async () => {
    const { config } = test.handle;
    const at = (id: string, path: string) => ({ ...config, id, url: new URL(path, config.url!).href });
    const opened = openConnections([
      at('a', '/0'),
      at('b', '/1'),
      { ...config, id: 'c', url: 'redis://127.0.0.1:1' },
    ]);
    const [a, b, c] = [...opened.values()].map(({ budget }) => budget) as [
      ScanBudget,
      ScanBudget,
      ScanBudget,
    ];
    expect((await walkTogether([a, b], 10)).most).toBe(1);
    expect((await walkTogether([a, c], 10)).most).toBe(2);
    for (const { topology } of opened.values()) topology.close();
  });

  it('scan the keyspace side by side, each all of it', { tags: ['long'] }, async () => {
    await fill(1000);
    const { own, config } = test.handle;
    const track = own.track.bind(own);
    let [active, most] = [0, 0];
    own.track = (work) =>
      track(async () => {
        active += 1;
        most = Math.max(most, active);
        return work().finally(() => {
          active -= 1;
        });
      });
    const walk = async () => {
      const found = new Set<string>();
      for await (const { keys } of scanKeys(test.handle, { budget }))
        for (const key of keys) found.add(key.toString());
      return found.size;
    };
    const budget = new ScanBudget({ ...config.scan, pauseMs: 0 });
    expect(await Promise.all(Array.from({ length: 20 }, walk))).toEqual(new Array(20).fill(1000));
    expect(most).toBe(1);
    own.track = track;
  });

  it('go on where one fails, and one that is aborted while it waits makes no call', async () => {
    const queue = new CallQueue();
    const budget = new ScanBudget(LIMITS, queue);
    const controller = new AbortController();
    const failing = budget.walk()(() => Promise.reject(new Error('lost')));
    let called = false;
    const waiting = budget.walk(controller.signal)(async () => {
      called = true;
      return exactly(1);
    });
    const after = budget.walk()(async () => exactly(2));
    controller.abort(new Error('enough'));
    await expect(failing).rejects.toThrow('lost');
    await expect(waiting).rejects.toThrow('enough');
    expect(await after).toEqual(exactly(2));
    expect(called).toBe(false);
  });
});
