import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Input, Result } from '@/lib/contract';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { openStore, store } from '@/lib/redis/store';
import { IpProbe } from '@/lib/sampler/ip-probe';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { heavyCallers } from './heavy';
import { readGuardHistory } from './history';
import { topIps } from './reads';
import { trafficContracts } from './schema';

const CURRENT = 'CurrentPeriodMap';
const ALL = 'AllIPsMap';
const HAWK = { threshold: 100, protectedIps: ['10.0.0.0/8'] };
/** The beginning of a ten-second step, so that the time of the run does not matter. */
const T = 1_800_000_000_000;

type Top = Result<typeof trafficContracts.ipsTop>;

let test: TestContext;
let now = T;

/** guard.ips.top, each time with a new pass. */
const top = async (
  raw: Partial<Input<typeof trafficContracts.ipsTop>> = {},
  ctx = test.as({ now: () => now }),
): Promise<Top> => {
  now += MINUTE;
  const input = trafficContracts.ipsTop.input.parse({ limit: 10, ...raw });
  return trafficContracts.ipsTop.result.parse(await topIps(ctx, input));
};

const shown = ({ items }: Top) => items.map(({ ip, requests }) => [ip, requests]);

for (const [way, redisArgs] of BOTH_WAYS)
  describe(`the heaviest callers, ${way}`, () => {
    beforeAll(async () => {
      test = await testContext({ apps: ['hawk'], hawk: HAWK, redisArgs });
    });
    beforeEach(() => test.empty());
    afterAll(() => test.close());

    it('are shown by requests, with their share, and whether they are over the threshold or banned', async () => {
      await test.redis.hset(CURRENT, { '1.1.1.1': 60, '2.2.2.2': 100, '3.3.3.3': 39, '10.0.0.1': 1 });
      await test.redis.sadd('BlacklistIPsSet', '3.3.3.3');
      const found = await top();
      expect(
        found.items.map(({ ip, requests, share, overThreshold, blacklisted, banText }) => [
          ip,
          requests,
          share,
          overThreshold,
          blacklisted,
          banText,
        ]),
      ).toEqual([
        ['2.2.2.2', 100, 0.5, true, false, '2.2.2.2'],
        ['1.1.1.1', 60, 0.3, false, false, '1.1.1.1'],
        ['3.3.3.3', 39, 0.195, false, true, '3.3.3.3'],
        ['10.0.0.1', 1, 0.005, false, false, null],
      ]);
      expect(found).toMatchObject({ total: 200, ips: 4, unreadable: 0, threshold: 100, periodSeconds: 15 });
      expect(found).toMatchObject({ problem: null, periodEndsAt: null, totalExact: null, chains: [] });
      expect(found.distribution).toEqual([
        { from: 0, to: 10, ips: 1 },
        { from: 10, to: 100, ips: 2 },
        { from: 100, to: 1000, ips: 1 },
      ]);
      expect((await top({ limit: 2 })).items).toHaveLength(2);
      expect(shown(await top({ map: 'all' }))).toEqual([]);
    });

    it('are the same as after sorting a map of many pages', { tags: ['long'] }, async () => {
      const counts = Array.from({ length: 20_000 }, (_, i) => [
        `9.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
        (i * 7919) % 20_011,
      ]);
      await test.redis.hset(ALL, ...counts.flat());
      const sorted = counts.map(([, n]) => n as number).sort((a, b) => b - a);
      for (const limit of [1, 50, 1000]) {
        const found = await top({ map: 'all', limit });
        expect(found.items.map(({ requests }) => requests)).toEqual(sorted.slice(0, limit));
        expect(found).toMatchObject({ ips: 20_000, total: sorted.reduce((a, b) => a + b), unreadable: 0 });
        expect(found.distribution.reduce((sum, { ips }) => sum + ips, 0)).toBe(20_000);
      }
    });

    it('leave out values that are not counts, and are exact beyond 2^53', async () => {
      const rubbish = ['', ' 5', '5 ', '-3', '+3', '007', '1e2', '12e1', '0x10', '1.0', 'nan', 'inf', 'many'];
      const huge = ['9007199254740993', '9223372036854775807', '9223372036854775806'];
      await test.redis.hset(CURRENT, ...rubbish.flatMap((value, i) => [`10.1.0.${i}`, value]));
      await test.redis.hset(CURRENT, 'a', huge[0]!, 'b', huge[1]!, 'c', huge[2]!, 'd', '7', 'e', '0');
      await test.redis.hset(CURRENT, 'f', '9223372036854775808', 'g', '1'.repeat(60));
      await test.redis.hset(CURRENT, Buffer.from([0xff, 0x00]), '3');
      const found = await top({ limit: 100 });
      expect(found).toMatchObject({ ips: rubbish.length + 8, unreadable: rubbish.length + 2 });
      expect(found.items.map(({ ip, requestsExact, requests }) => [ip, requestsExact ?? requests])).toEqual([
        ['b', huge[1]],
        ['c', huge[2]],
        ['a', huge[0]],
        ['d', 7],
        ['\\xff\\x00', 3],
        ['e', 0],
      ]);
      const sum = huge.map(BigInt).reduce((a, b) => a + b) + 10n;
      expect(found.totalExact).toBe(String(sum));
      expect(found.items[0]!.overThreshold).toBe(true);
    });

    it('of a key of another type are reported as a problem', async () => {
      await test.redis.set(CURRENT, 'x');
      await test.redis.set('BlacklistIPsSet', 'x');
      await test.redis.hset(ALL, '1.1.1.1', 1);
      expect(await top()).toMatchObject({ items: [], problem: expect.stringContaining('not a hash') });
      expect((await top({ map: 'all' })).items).toMatchObject([{ blacklisted: null }]);
    });

    it('belong to one period when the map is deleted during the pass', async () => {
      const counts = Array.from({ length: 3000 }, (_, i) => [`9.9.${i >> 8}.${i & 255}`, 1000]);
      await test.redis.hset(CURRENT, ...counts.flat());
      let pauses = 0;
      const pauseBetween = async () => {
        pauses += 1;
        if (pauses === 1) await test.redis.multi().del(CURRENT).hset(CURRENT, { a: 2, b: 1 }).exec();
      };
      const slow = pausing(pauseBetween);
      const found = await top({}, { ...test.as({ now: () => now }), connection: slow });
      expect(pauses).toBe(1);
      expect([found.total, found.ips, shown(found)]).toEqual([
        3,
        2,
        [
          ['a', 2],
          ['b', 1],
        ],
      ]);
    });

    it('are counted once each, though the map shrinks during the pass', async () => {
      const fields = Array.from({ length: 20_000 }, (_, i) => `9.${i >> 8}.${i & 255}.1`);
      await test.redis.hset(ALL, ...fields.flatMap((field) => [field, 7]));
      const gone = fields.slice(100);
      let pauses = 0;
      const pauseBetween = async () => {
        pauses += 1;
        // The table shrinks, so HSCAN returns fields again; then the map grows back to its size and beyond.
        if (pauses === 1) await test.redis.hdel(ALL, ...gone);
        if (pauses === 2) await test.redis.hset(ALL, ...gone.flatMap((field) => [`${field}0`, 7]), 'new', 7);
      };
      const slow = pausing(pauseBetween);
      const found = await top({ map: 'all' }, { ...test.as({ now: () => now }), connection: slow });
      const fieldsNow = await test.redis.hlen(ALL);
      expect(found).toMatchObject({ exact: true, ips: fieldsNow, total: 7 * fieldsNow });
      expect(found.distribution).toEqual([{ from: 0, to: 10, ips: fieldsNow }]);
    });

    it('are an estimate while fields are removed continuously', async () => {
      await test.redis.hset(ALL, ...Array.from({ length: 3000 }, (_, i) => [`a${i}`, 1]).flat());
      let removed = 0;
      const pauseBetween = async () => {
        await test.redis.hdel(ALL, `a${removed++}`);
      };
      const slow = pausing(pauseBetween);
      const found = await top({ map: 'all' }, { ...test.as({ now: () => now }), connection: slow });
      expect(found.exact).toBe(false);
      expect(Math.abs(found.ips - 3000)).toBeLessThan(100);
    });

    it('are counted once each, though the server returns some twice', async () => {
      await test.redis.hset(ALL, ...Array.from({ length: 3000 }, (_, i) => [`a${i}`, 2]).flat());
      const found = await withRepeatedElements(test, () => top({ map: 'all' }));
      expect(found).toMatchObject({ ips: 3000, total: 6000, exact: true });
    });

    it('come in pages that together are the complete sorted map', { tags: ['long'] }, async () => {
      const counts = Array.from({ length: 3000 }, (_, i) => [`a${i}`, (i * 7919) % 1009] as const);
      await test.redis.hset(ALL, ...counts.flat());
      const pages: Top[] = [];
      for (let cursor: string | undefined; pages.length === 0 || cursor; ) {
        const page = await top({ map: 'all', limit: 700, ...(cursor && { cursor }) });
        expect(page).toMatchObject({ ips: 3000, total: counts.reduce((sum, [, n]) => sum + n, 0) });
        pages.push(page);
        cursor = page.nextCursor ?? undefined;
      }
      const items = pages.flatMap(({ items: some }) => some);
      expect(pages.map((page) => page.items.length)).toEqual([700, 700, 700, 700, 200]);
      expect(new Set(items.map(({ ip }) => ip)).size).toBe(3000);
      expect(items.map(({ requests }) => requests)).toEqual(counts.map(([, n]) => n).sort((a, b) => b - a));
    });

    it('counts its own lookups exactly', async () => {
      await test.redis.hset(ALL, ...Array.from({ length: 3000 }, (_, i) => [`a${i}`, i]).flat());
      const stats = async () => {
        const text = await test.redis.info('stats');
        return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(text)![1]));
      };
      const [before, own] = [await stats(), test.handle.own.snapshot()];
      await top({ map: 'all' });
      await top();
      const [after, mine] = [await stats(), test.handle.own.snapshot()];
      expect([mine.hits - own.hits, mine.misses - own.misses]).toEqual(after.map((n, i) => n - before[i]!));
    });
  });

/** The connection, with something done in the pauses of its node's scans. */
const pausing = (pauseBetween: () => Promise<void>): TestContext['handle'] => {
  const { topology } = test.handle;
  const [real] = topology.primaries();
  const budget = Object.assign(Object.create(real!.budget), { pauseBetween });
  const node = Object.create(real!, { budget: { value: budget } });
  return { ...test.handle, topology: { ...topology, nodeOf: () => node } };
};

describe('callers over time', () => {
  beforeAll(async () => {
    test = await testContext({ apps: ['hawk'], hawk: HAWK });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  it('are classified as an address, a chain or other text', async () => {
    const fields = [
      '2001:db8::1',
      '2001:DB8::2',
      '1.2.3.4, 10.0.0.1',
      ' 1.2.3.4,junk',
      'x, y',
      '1.2.3.4:80',
      'unknown',
    ];
    await test.redis.hset(CURRENT, ...fields.flatMap((field, i) => [field, 100 - i]));
    const found = await top({}, { ...test.as({ now: () => now }), address: '2001:db8::1' });
    expect(
      found.items.map(({ kind, firstAddress, banText, own }) => [kind, firstAddress, banText, own]),
    ).toEqual([
      ['address', '2001:db8::1', '2001:db8::1', true],
      ['address', '2001:db8::2', null, false],
      ['chain', '1.2.3.4', null, false],
      ['chain', '1.2.3.4', null, false],
      ['chain', null, null, false],
      ['text', null, null, false],
      ['text', null, null, false],
    ]);
    expect(
      found.items.every(({ banText, notBannable }) => (banText === null) === (notBannable !== null)),
    ).toBe(true);
    expect(found.chains).toEqual([
      { firstAddress: '1.2.3.4', fields: 2, requests: 98 + 97, requestsExact: null },
    ]);
    await test.redis.hset(CURRENT, fields[2]!, '9007199254740993');
    expect((await top()).chains).toMatchObject([{ fields: 2, requestsExact: '9007199254741090' }]);
  });

  it('share one pass for a moment among all readers', async () => {
    await test.redis.hset(CURRENT, 'a', 1);
    const ctx = test.as({ now: () => now });
    now += MINUTE;
    const input = { map: 'currentPeriod', limit: 5 } as const;
    const calls = async () =>
      Number(/cmdstat_hscan:calls=(\d+)/.exec(await test.redis.info('commandstats'))?.[1] ?? 0);
    const before = await calls();
    await Promise.all([topIps(ctx, input), topIps(ctx, input), topIps(ctx, { ...input, limit: 100 })]);
    expect((await calls()) - before).toBe(1);
    now += SECOND / 2;
    await topIps(ctx, input);
    expect((await calls()) - before).toBe(1);
    now += SECOND;
    await topIps(ctx, input);
    expect((await calls()) - before).toBe(2);
  });

  /** Writes counts as the collector would at this time, and lets the probe sample them. */
  const at = async (probe: IpProbe, time: number, counts: Record<string, number>) => {
    now = time;
    await test.redis.del(CURRENT);
    if (Object.keys(counts).length > 0) await test.redis.hset(CURRENT, counts);
    await probe.tick(() => now);
  };

  it('have a rate, a countdown, a projection, past periods and the mark of a new caller', async () => {
    const start = now + 10 * MINUTE;
    const probe = new IpProbe(test.handle, store());
    await at(probe, start, { old: 50, noisy: 5 });
    await at(probe, start + 3 * SECOND, { old: 80, noisy: 5 });
    await at(probe, start + 6 * SECOND, { noisy: 0 });
    await at(probe, start + 9 * SECOND, { noisy: 30, late: 2 });
    await at(probe, start + 12 * SECOND, { noisy: 60, late: 2 });
    const ctx = test.as({ now: () => now });
    const found = await topIps(ctx, { map: 'currentPeriod', limit: 10 });
    const end = start + 4.5 * SECOND + 15 * SECOND;
    expect(found).toMatchObject({
      periodEndsAt: iso(end),
      watchedSince: iso(start),
      periodEnds: [iso(start + 4.5 * SECOND)],
    });
    const [noisy, late] = found.items;
    expect(noisy).toMatchObject({ ip: 'noisy', ratePerSecond: 10, crossesInSeconds: 4, periods: [5] });
    // Present when watching began: the time of the first request is unknown.
    expect(noisy).toMatchObject({ firstSeenAt: null, new: false });
    expect(late).toMatchObject({ ip: 'late', ratePerSecond: 0.33, crossesInSeconds: null, periods: [0] });
    expect(late).toMatchObject({ firstSeenAt: iso(start + 9 * SECOND), new: true });
  });

  it('stay with 0 requests in the next period, sampled or not, and leave after it', async () => {
    const start = now + 10 * MINUTE;
    const probe = new IpProbe(test.handle, store());
    const read = async (limit = 10) => {
      const found = await topIps(test.as({ now: () => now }), { map: 'currentPeriod', limit });
      return { shown: shown(found), ips: found.ips, chains: found.chains.length };
    };
    const chain = '1.2.3.4, 5.6.7.8';
    await at(probe, start, { noisy: 50, [chain]: 8, quiet: 5 });
    now = start + 2 * SECOND;
    await test.redis.del(CURRENT);
    await test.redis.hset(CURRENT, { quiet: 1 });
    const unsampled = await read();
    expect(unsampled).toEqual({
      shown: [
        ['quiet', 1],
        ['noisy', 0],
        [chain, 0],
      ],
      ips: 1,
      chains: 0,
    });
    await at(probe, start + 4 * SECOND, { quiet: 2 });
    expect((await read()).shown).toEqual([
      ['quiet', 2],
      ['noisy', 0],
      [chain, 0],
    ]);
    expect((await read(2)).shown).toEqual([
      ['quiet', 2],
      ['noisy', 0],
    ]);
    expect((await read(1)).shown).toEqual([['quiet', 2]]);
    await at(probe, start + 18 * SECOND, { quiet: 3 });
    expect((await read()).shown).toEqual([['quiet', 3]]);
  });

  it('over the threshold need attention, except protected addresses; a chain that begins with one is not protected', async () => {
    const chain = '10.0.0.1, 203.0.113.9';
    await at(new IpProbe(test.handle, store()), now + 10 * MINUTE, { '10.0.0.1': 900, [chain]: 500 });
    const found = await heavyCallers(test.as({ now: () => now }), 5);
    expect(found).toEqual([{ ip: chain, requests: 500, banText: null }]);
  });

  it('are watched on by the next process from the stored samples', async () => {
    const start = now + 10 * MINUTE;
    await at(new IpProbe(test.handle, store()), start, { a: 50 });
    const next = new IpProbe(test.handle, store());
    await at(next, start + 3 * SECOND, { a: 8 });
    const found = await topIps(test.as({ now: () => now }), { map: 'all', limit: 10 });
    expect(found).toMatchObject({ watchedSince: iso(start), periodEnds: [iso(start + 1.5 * SECOND)] });
  });

  it('are read without the store, without their past', async () => {
    await test.redis.hset(CURRENT, '1.1.1.1', 5);
    const own = openStore('redis://127.0.0.1:1');
    try {
      const found = await top({}, { ...test.as({ now: () => now }), store: own });
      expect(found).toMatchObject({ items: [{ ratePerSecond: null, periods: [] }], watchedSince: null });
    } finally {
      own.close();
    }
  });

  it('are a 404 without an error collector', async () => {
    const catalog = catalogFor(['qianxun']);
    await expect(top({}, { ...test.ctx, catalog })).rejects.toMatchObject({ status: 404 });
  });

  it.each(['', 'x', 'WyJhIl0', 'WyItMSIsImEiXQ'])('refuse the cursor %j', async (cursor) => {
    const refused = top({ cursor });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      extensions: { errors: [{ path: 'cursor' }] },
    });
  });

  it.each([{ limit: 0 }, { limit: 1001 }, { map: 'other' }, { nonsense: 1 }])('refuse %o', (raw) => {
    expect(trafficContracts.ipsTop.input.safeParse(raw).success).toBe(false);
  });

  it('are accompanied by the sizes of the sets over time, with gaps where nothing was sampled', async () => {
    const start = Math.ceil((now + MINUTE) / MINUTE) * MINUTE;
    await test.redis.sadd('DisabledProjectsSet', 'a', 'b');
    const probe = new IpProbe(test.handle, store());
    for (const seconds of [0, 5, 10, 60, 70]) {
      await test.redis.sadd('BlacklistIPsSet', `1.1.1.${seconds}`);
      await at(probe, start + seconds * SECOND, {});
    }
    const history = async (stepSeconds: number) =>
      (
        await readGuardHistory(test.as({ now: () => now }), {
          from: iso(start),
          to: iso(start + 2 * MINUTE),
          stepSeconds,
        })
      ).points;
    const sizes = { blockedProjects: 2, limitedProjects: null };
    expect(await history(10)).toEqual([
      { at: iso(start), ...sizes, blacklistedIps: 1 },
      { at: iso(start + 10 * SECOND), ...sizes, blacklistedIps: 3 },
      { at: iso(start + 60 * SECOND), ...sizes, blacklistedIps: 4 },
      { at: iso(start + 70 * SECOND), ...sizes, blacklistedIps: 5 },
    ]);
    expect((await history(60)).map(({ at: from, blacklistedIps }) => [from, blacklistedIps])).toEqual([
      [iso(start), 3],
      [iso(start + MINUTE), 5],
    ]);
    await test.redis.set('DisabledProjectsSet', 'x');
    await at(probe, start + 80 * SECOND, {});
    expect((await history(10)).at(-1)).toMatchObject({ blockedProjects: null, blacklistedIps: 5 });
  });
});
