import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { saveCounters } from '@/lib/hit-rates/counters';
import { readHitRates } from '@/lib/hit-rates/reads';
import { writeSpan } from '@/lib/hit-rates/spans';
import { store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { CounterProbe } from './counter-probe';

let test: TestContext;
let now = 0;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  now = Math.floor(Date.now() / MINUTE) * MINUTE - 30 * MINUTE;
});
afterAll(() => test.close());

const KEYS = [
  'metrics:cache_hits:hourly',
  'metrics:cache_misses:hourly',
  'metrics:cache_hits:daily',
  'metrics:cache_hits:shouts:hourly',
  'metrics:cache_misses:shouts:hourly',
  'metrics:cache_hits:shouts:daily',
  'metrics:cache_misses:shouts:daily',
  'metrics:cache_hits:discours.topic-id:total',
  'metrics:cache_misses:author-id:total',
];

/** As the application would: each look-up counted in every period. */
const count = async (family: string, hits: number, misses: number): Promise<void> => {
  const name = family ? `:${family}` : '';
  for (const period of ['hourly', 'daily']) {
    if (family || period === 'hourly')
      await test.redis.incrby(`metrics:cache_misses${name}:${period}`, misses);
    await test.redis.incrby(`metrics:cache_hits${name}:${period}`, hits);
  }
};

const turn = async (probe: CounterProbe, later = 10 * SECOND): Promise<void> => {
  now += later;
  await probe.tick(() => now);
};

const read = () =>
  readHitRates(test.ctx, {
    from: new Date(now - 20 * MINUTE).toISOString(),
    to: new Date(now + MINUTE).toISOString(),
    stepSeconds: 60,
  });

describe("the application's counters", () => {
  it('give exact figures of the families that have a pair, and of all', async () => {
    await saveCounters(
      store(),
      'main',
      KEYS.map((key) => Buffer.from(key)),
    );
    await test.redis.set('metrics:cache_hits:discours.topic-id:total', '5');
    await count('', 1000, 100);
    await count('shouts', 500, 50);
    const probe = new CounterProbe(test.handle, store());
    await turn(probe);
    for (let i = 0; i < 6; i++) {
      await count('', 40, 10);
      await count('shouts', 30, 2);
      await turn(probe);
    }
    await probe.pause();
    const { families, application, notAttributed } = await read();
    expect(families).toMatchObject([
      {
        family: 'discours.shouts',
        source: 'counters',
        hits: 180,
        misses: 12,
        n: 192,
        error: 0,
        coverage: null,
        windowSeconds: 60,
        missesPerSecond: 0.2,
        originLoadPerSecond: 0.2,
      },
    ]);
    expect(application).toMatchObject({ label: 'application', hits: 240, misses: 60, hitRate: 0.8 });
    expect(notAttributed).toMatchObject({ hits: 0, misses: 0, share: null });
  });

  it('never count backwards: a counter that was restarted, reset or is not a number adds nothing', async () => {
    await saveCounters(
      store(),
      'main',
      KEYS.map((key) => Buffer.from(key)),
    );
    const probe = new CounterProbe(test.handle, store());
    await count('shouts', 500, 50);
    await turn(probe);
    await test.redis.del('metrics:cache_hits:shouts:daily', 'metrics:cache_misses:shouts:daily');
    await turn(probe);
    await count('shouts', 3, 3);
    await turn(probe);
    await count('shouts', 4, 1);
    await turn(probe);
    await test.redis.set('metrics:cache_hits:shouts:daily', '2');
    await turn(probe);
    for (const odd of ['-5', '1e9', ' 7', '99999999999999999999', 'x'.repeat(100)]) {
      await test.redis.set('metrics:cache_hits:shouts:daily', odd);
      await turn(probe);
    }
    await test.redis.del('metrics:cache_hits:shouts:daily');
    await test.redis.rpush('metrics:cache_hits:shouts:daily', 'a list');
    await turn(probe);
    await probe.pause();
    const { families } = await read();
    expect(families).toMatchObject([{ family: 'discours.shouts', hits: 4, misses: 1 }]);
    expect(families[0]!.points.every(({ hits, misses }) => hits >= 0 && misses >= 0)).toBe(true);
  });

  it('have gaps where they were not read, and win over a sample of the same family', async () => {
    await saveCounters(
      store(),
      'main',
      KEYS.map((key) => Buffer.from(key)),
    );
    const probe = new CounterProbe(test.handle, store());
    await count('shouts', 1, 1);
    await turn(probe);
    await count('shouts', 1000, 1000);
    await turn(probe, 5 * MINUTE);
    await count('shouts', 6, 2);
    await turn(probe);
    await probe.pause();
    await writeSpan(store(), 'main', 'sample', {
      at: now,
      seconds: 1,
      windows: 1,
      cutShort: 0,
      total: [14, 6],
      left: [0, 0],
      reasons: [],
      families: { 'discours.shouts': [9, 1, 1, 81, 90, 100], 'discours.author-id': [5, 5, 1, 25, 50, 100] },
    });
    const { families } = await read();
    expect(families.map(({ family, source, hits, misses }) => [family, source, hits, misses])).toEqual([
      ['discours.author-id', 'sample', 5, 5],
      ['discours.shouts', 'counters', 6, 2],
    ]);
    expect(families[1]!.points).toHaveLength(1);
  });
});
