import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { exactly } from '@/scripts/testing/round-trip';
import { CallQueue, type Pace, ScanBudget } from './budget';
import { ServerLoad } from './server-load';
import { readCpu } from './topology/node';

const LIMITS = { chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1 };

/** Calls whose keys cost the server this much each, ms. */
const callsOf = async (pace: Pace, keyMs: number, calls: number): Promise<void> => {
  for (let i = 0; i < calls; i++) {
    const keys = pace.keys();
    await pace.run(async () => ({ ...exactly(0.2 + keys * keyMs), serverMs: keys * keyMs }), keys);
  }
};

describe('a pace', () => {
  it.each([
    ['5 µs', 0.005, 100],
    ['cheaper', 0.0005, 1000],
    ['so cheap that the bound applies', 0.00001, 2000],
    ['dearer', 0.02, 25],
    ['so dear that the bound applies', 1, 5],
  ])('makes calls of half a millisecond of keys that are %s', async (_, keyMs, keys) => {
    const pace = new ScanBudget(LIMITS).pace('work');
    expect(pace.keys()).toBe(100);
    await callsOf(pace, keyMs, 12);
    expect(pace.keys()).toBe(keys);
  });

  it('never has less than a quarter of a chunk where only round trips tell the cost, because they may be late by turns', async () => {
    const pace = new ScanBudget(LIMITS).pace('work');
    await pace.run(async () => exactly(0.3), 1);
    for (let i = 0; i < 10; i++) await pace.run(async () => exactly(3), pace.keys());
    expect(pace.keys()).toBe(25);
  });

  it('is learned by each kind of work alone, and known to its next walk', async () => {
    const budget = new ScanBudget(LIMITS);
    await callsOf(budget.pace('names'), 0.0005, 12);
    await callsOf(budget.pace('copies'), 0.02, 12);
    expect([budget.pace('names').keys(), budget.pace('copies').keys()]).toEqual([1000, 25]);
  });

  it('counts only what the server certainly worked: the round trip without that of the quickest call', async () => {
    const pace = new ScanBudget(LIMITS).pace('work');
    await pace.run(async () => exactly(0.3), 1);
    // This process was busy while the answer waited.
    for (let i = 0; i < 10; i++) await pace.run(async () => ({ least: 0.8, most: 60 }), 100);
    expect(pace.keys()).toBe(100);
  });

  it('is four times as large where a user asked for it, without pauses, and backs off all the same', async () => {
    const queue = new CallQueue();
    const budget = new ScanBudget({ ...LIMITS, pauseMs: 60_000 }, queue);
    let isFaster = true;
    const pace = budget.pace('work', { isFaster: () => isFaster });
    await callsOf(pace, 0.005, 10);
    expect(pace.keys()).toBe(400);
    expect(budget.state().backedOff).toBe(false);
    isFaster = false;
    expect(pace.keys()).toBe(100);
    isFaster = true;
    // Others wait for the server, too, and so does this.
    for (let i = 0; i < 5; i++) budget.record(exactly(9), { kind: 'work', keys: 400, isFaster });
    expect(budget.state()).toMatchObject({ backedOff: true });
  });

  it('takes calls that are long because chunks are large for no latency', async () => {
    const budget = new ScanBudget({ ...LIMITS, chunk: 1000 });
    const pace = budget.pace('work');
    await pace.run(async () => ({ ...exactly(0.2), serverMs: 0.02 }), 4);
    await callsOf(pace, 0.005, 12);
    expect(pace.keys()).toBe(1000);
    expect(budget.state()).toMatchObject({ backedOff: false });
  });

  it('without pauses has chunks of a fixed size', async () => {
    const budget = new ScanBudget({ ...LIMITS, pauseMs: 0 });
    const paces = [budget.pace('a'), budget.pace('b', { times: 10 }), budget.pace('c', { times: 0.5 })];
    for (const pace of paces) await callsOf(pace, 0.02, 3);
    expect(paces.map((pace) => pace.keys())).toEqual([100, 1000, 100]);
  });

  it('makes one call at a time, whatever the kinds of work', async () => {
    const budget = new ScanBudget(LIMITS);
    let [active, most] = [0, 0];
    const walk = async (kind: string) => {
      const pace = budget.pace(kind);
      for (let i = 0; i < 5; i++)
        await pace.run(async () => {
          most = Math.max(most, ++active);
          await new Promise(setImmediate);
          active -= 1;
          return exactly(1);
        });
    };
    await Promise.all(['scan', 'copy', 'delete'].map(walk));
    expect(most).toBe(1);
  });
});

describe('the load of a server', () => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext();
  });
  afterAll(() => test.close());

  /** Work of others for this share of the time, as INFO would show it; what a walk's pause is then. */
  const pauseBeside = async (others: number, ownMs: number): Promise<number> => {
    let [at, worked] = [performance.now(), 1];
    const load = new ServerLoad(async () => {
      const now = performance.now();
      worked += (others * (now - at) + ownMs) / 1000;
      at = now;
      return `used_cpu_sys_main_thread:0\r\nused_cpu_user_main_thread:${worked}\r\n`;
    });
    await load.refresh(0);
    expect(load.pauseShare()).toBe(1);
    const first = performance.now();
    // Asked again only after a second.
    await expect
      .poll(
        async () => {
          await load.refresh(ownMs);
          return load.others;
        },
        { interval: 50, timeout: 3000 },
      )
      .not.toBeNull();
    expect(performance.now() - first).toBeGreaterThan(900);
    return load.pauseShare();
  };

  it('shortens pauses while others use little of it, not counting our own share', {
    tags: 'long',
  }, async () => {
    const [idle, some, busy] = await Promise.all([
      pauseBeside(0, 600),
      pauseBeside(0.11, 300),
      pauseBeside(0.3, 0),
    ]);
    expect(idle).toBe(0.1);
    expect(some).toBeGreaterThan(0.3);
    expect(some).toBeLessThan(0.8);
    expect(busy).toBe(1);
  });

  it('is read from a server, and counts as high where INFO is refused', async () => {
    expect(await readCpu('shop', test.handle.topology.primaries()[0]!)).toMatch(
      /used_cpu_user_main_thread:\d/,
    );
    const load = new ServerLoad(() => Promise.reject(new Error('NOPERM')));
    await load.refresh(0);
    expect(load.pauseShare()).toBe(1);
    expect(load.others).toBeNull();
  });
});
