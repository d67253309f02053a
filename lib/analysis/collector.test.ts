import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { catalogOf } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { DAY, HOUR, MINUTE } from '@/lib/time';
import type { WalkedKeys } from '@/lib/walk/collector';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { AnalysisCollector, storedCounts } from './collector';
import { reportOf } from './report';
import { analysisReport } from './schema';

let test: TestContext;

beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'qianxun', 'minidouyin', 'hawk'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

/** What a walk reads of these keys, all at once. */
const read = async (keys: readonly (string | Buffer)[]): Promise<WalkedKeys> => {
  const names = keys.map((key) => Buffer.from(key));
  const ask = (command: string, ...args: string[]) =>
    Promise.all(names.map((key) => test.redis.call(command, ...args, key).catch(() => null)));
  const types = (await ask('TYPE')) as string[];
  const lengthOf = {
    string: 'STRLEN',
    hash: 'HLEN',
    list: 'LLEN',
    set: 'SCARD',
    zset: 'ZCARD',
    stream: 'XLEN',
  };
  return {
    keys: names,
    found: await identifyKeys(test.handle.background, catalogOf(test.handle), names),
    types,
    ttls: (await ask('PTTL')) as number[],
    memory: (await ask('MEMORY', 'USAGE')) as number[],
    lengths: (await Promise.all(
      names.map((key, i) => test.redis.call(lengthOf[types[i] as keyof typeof lengthOf], key)),
    )) as number[],
    encodings: (await ask('OBJECT', 'ENCODING')) as string[],
    idle: (await ask('OBJECT', 'IDLETIME')) as number[],
    at: Date.now(),
    refused: null,
  };
};

const collector = (stored?: unknown) =>
  new AnalysisCollector(catalogOf(test.handle), {
    exact: false,
    ...(stored ? { stored: storedCounts.parse(JSON.parse(JSON.stringify(stored))) } : {}),
  });

const report = async (counted: AnalysisCollector) =>
  analysisReport.parse(
    await reportOf(test.ctx, counted, {
      id: 'a',
      at: Date.now(),
      complete: true,
      share: 1,
      scheduled: false,
      walk: null,
      reasons: [],
    }),
  );

const chunk = (change: Partial<WalkedKeys>, count: number): WalkedKeys => {
  const every = <T>(value: T): T[] => new Array<T>(count).fill(value);
  return {
    keys: every(Buffer.from('x:1')),
    found: every({ family: null, malformedOf: null, type: null, isSettled: true }),
    types: every('string'),
    ttls: every(-1),
    memory: every(56),
    lengths: every(1),
    encodings: every('raw'),
    idle: every(0),
    at: Date.now(),
    refused: null,
    ...change,
  };
};

describe('what an analysis counts', () => {
  it('can be resumed where the TTLs of its biggest keys could not be read', async () => {
    const counted = collector();
    counted.add(chunk({ ttls: [Number.NaN, 5000] }, 2));
    const again = await report(collector(counted.stored()));
    expect(again.biggest.map(({ ttlSeconds }) => ttlSeconds)).toEqual([undefined, 5]);
    expect(again).toMatchObject({ keys: 2, byType: [{ type: 'string', keys: 2 }] });
  });

  it('is the same whether it was stored and resumed half-way or not', async () => {
    const { redis } = test;
    const keys = Array.from({ length: 60 }, (_, i) => `author:id:${i}`);
    for (const [i, key] of keys.entries())
      await redis.set(key, 'x'.repeat(i < 55 ? i : 2 ** (i - 45)), 'EX', 60 + i * 60);
    for (const i of [1, 2, 3, 4]) await redis.sadd(`odd:thing:${i}`, `${i}`);
    const [first, second] = [await read(keys.slice(0, 30)), await read([...keys.slice(30), 'odd:thing:1'])];
    const whole = collector();
    whole.add(first);
    const half = collector(whole.stored());
    for (const counted of [whole, half]) counted.add(second);
    // The bytes of a chunk are used again.
    for (const key of second.keys) key.fill(0);
    const [a, b] = [await report(whole), await report(half)];
    expect({ ...b, at: a.at }).toEqual(a);
    expect(a).toMatchObject({
      keys: 61,
      withoutTtl: 1,
      families: [{ family: 'discours.author-id', keys: 60 }],
    });
    expect(a.families[0]!.biggest.map(({ key }) => key)).toEqual(
      [59, 58, 57, 56, 55].map((id) => `author:id:${id}`),
    );
  });

  it('puts TTLs into bins of what remains and of when they expire', async () => {
    const at = Math.floor(Date.now() / DAY) * DAY;
    const ttls = [-1, 0, 9999, 10_000, 59 * MINUTE, 3 * HOUR, 3 * DAY, 900 * DAY];
    const counted = collector();
    counted.add(chunk({ ttls, at }, ttls.length));
    const { ttl, expiries, withoutTtl } = await report(counted);
    expect(withoutTtl).toBe(1);
    expect(ttl.filter(({ keys }) => keys > 0)).toEqual([
      { from: 0, to: 10, keys: 2 },
      { from: 10, to: 60, keys: 1 },
      { from: 900, to: 3600, keys: 1 },
      { from: 3600, to: 14_400, keys: 1 },
      { from: 259_200, to: 604_800, keys: 1 },
      { from: 2_592_000, to: null, keys: 1 },
    ]);
    const widths = expiries.map(({ from, to, keys }) => [(Date.parse(to) - Date.parse(from)) / 1000, keys]);
    expect(widths).toEqual([
      [10, 2],
      [10, 1],
      [10, 1],
      [600, 1],
      [86_400, 1],
      [86_400, 1],
    ]);
  });

  it('names percentiles at most 10 % above the value, and the exact maximum', async () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i + 1) * 37);
    const counted = collector();
    counted.add(chunk({ memory: values, lengths: values.map((value) => value - 37) }, 1000));
    const { size } = await report(counted);
    expect(size).toMatchObject({ of: 1000, max: 37_000 });
    for (const [found, value] of [
      [size!.p50, 500 * 37],
      [size!.p99, 990 * 37],
    ]) {
      expect(found).toBeGreaterThanOrEqual(value!);
      expect(found).toBeLessThan(value! * 1.1);
    }
    expect(size!.histogram.reduce((sum, { keys }) => sum + keys, 0)).toBe(1000);
    const bin = size!.histogram.find(({ from }) => from === 1024)!;
    expect(bin).toEqual({ from: 1024, to: 4096, keys: values.filter((v) => v >= 1024 && v < 4096).length });
  });

  it('says what could not be measured instead of counting it as nothing', async () => {
    const counted = collector();
    counted.add(
      chunk({ memory: [null, null], idle: [null, null], types: ['', 'string'], ttls: [Number.NaN, -1] }, 2),
    );
    const found = await report(counted);
    expect(found).toMatchObject({
      keys: 2,
      memoryBytes: null,
      size: null,
      idle: null,
      withoutTtl: 1,
      biggest: [],
      unclassified: [{ keys: 2, memoryBytes: null }],
    });
    expect(found.byType.map(({ type, keys }) => [type, keys]).sort()).toEqual([
      ['string', 1],
      ['unreadable', 1],
    ]);
    expect(found.reason).toMatch(/may not read 1 key\..*MEMORY USAGE.*LFU/);
  });

  it('needs memory that does not grow with the keys', { tags: 'long' }, () => {
    const counted = collector();
    const add = (from: number) =>
      counted.add(
        chunk(
          {
            keys: Array.from({ length: 5000 }, (_, i) => Buffer.from(`p${(from + i) % 977}:k${from + i}:x`)),
            types: Array.from({ length: 5000 }, (_, i) => `module-${(from + i) % 500}`),
            memory: Array.from({ length: 5000 }, (_, i) => from + i),
          },
          5000,
        ),
      );
    for (let from = 0; from < 50_000; from += 5000) add(from);
    const size = JSON.stringify(counted.stored()).length;
    for (let from = 50_000; from < 100_000; from += 5000) add(from);
    expect(JSON.stringify(counted.stored()).length).toBeLessThan(size * 1.3);
    expect(counted.all.total.keys).toBe(100_000);
    expect([...counted.types.values()].reduce((sum, { keys }) => sum + keys, 0)).toBe(100_000);
    expect(counted.prefixes.rows().reduce((sum, { keys }) => sum + keys, 0)).toBe(100_000);
  });
});
