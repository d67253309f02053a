import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { applyEvent, type Limit, luaNumber, readWindow, stateOf } from './window';

const RULE = readFileSync(join(process.cwd(), 'scripts/demo-traffic/rate-limit.lua'), 'utf8');
const NOW = 1_737_483_600;

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['hawk'] });
});
afterAll(() => test.close());

interface Case {
  value: string | null;
  limit: Limit;
  now: number;
}

/** The collector's rule in a real Redis: its answers and the stored values, in one round trip. */
const byLua = async (cases: readonly Case[]): Promise<[number, string | null][]> => {
  const pipeline = test.redis.pipeline();
  pipeline.del('rate_limits');
  cases.forEach(({ value, limit, now }, i) => {
    if (value !== null) pipeline.hset('rate_limits', String(i), Buffer.from(value, 'latin1'));
    pipeline.eval(RULE, 1, 'rate_limits', i, now, limit.limit, limit.periodSeconds);
    pipeline.hgetBuffer('rate_limits', String(i));
  });
  const replies = ((await pipeline.exec()) ?? []).slice(1);
  let at = 0;
  return cases.map(({ value }) => {
    if (value !== null) at += 1;
    const [[error, decision], [, stored]] = [replies[at]!, replies[at + 1]!];
    at += 2;
    if (error) throw error;
    return [decision as number, (stored as Buffer | null)?.toString('latin1') ?? null];
  });
};

const byRule = ({ value, limit, now }: Case): [number, string | null] => {
  const { accepted, state, stored } = applyEvent(value, limit, now);
  return [accepted ? 1 : state === 'unreadable' ? -1 : 0, stored ?? value];
};

const digits = fc.oneof(
  fc.nat(200).map(String),
  fc.integer({ min: NOW - 200, max: NOW + 200 }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
  fc.constantFrom(
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '99999999999999',
    '100000000000000',
    '99999999999999999999',
    '100000000000005',
    '100000000000015',
    '9223372036854775807',
    '0007',
    '00',
    '9'.repeat(310),
  ),
);
const readable = fc.tuple(digits, digits).map(([start, count]) => `${start}:${count}`);
const junk = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0189:-.x \0\xff\n'), maxLength: 24 }),
  fc.constantFrom(
    '',
    ':',
    '::',
    '1:',
    ':1',
    'reset by hand',
    '-5:3',
    '1.5:2.5',
    '12:3:4',
    'a1:b 2:3',
    '1e3:2',
    'inf:2',
  ),
);
const value = fc.oneof(
  { weight: 6, arbitrary: readable },
  { weight: 2, arbitrary: fc.tuple(junk, readable, junk).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: junk },
  { weight: 1, arbitrary: fc.constant(null) },
);
const whole = fc.oneof(
  fc.nat(5),
  fc.nat(300),
  fc.integer({ min: -5, max: 5 }),
  fc.maxSafeInteger(),
  fc.constantFrom(100_000_000_000_000, Number.MAX_SAFE_INTEGER),
);
const oneCase = fc.record({
  value,
  limit: fc.record({ limit: whole, periodSeconds: whole }),
  now: fc.oneof(fc.constant(NOW), fc.integer({ min: 0, max: 4_000_000_000 })),
});

describe('the rule', () => {
  it('decides and stores exactly as the Lua rule does in a real Redis, over thousands of cases', {
    tags: 'long',
  }, async () => {
    let compared = 0;
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(oneCase, { minLength: 200, maxLength: 200 }), async (cases) => {
        expect(cases.map(byRule)).toEqual(await byLua(cases));
        compared += cases.length;
        for (const { value, limit, now } of cases) seen.add(applyEvent(value, limit, now).state);
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThanOrEqual(12_000);
    expect([...seen].sort()).toEqual(['expired', 'limited', 'near', 'ok', 'unlimited', 'unreadable']);
  });

  it.each<[string | null, number, number, ReturnType<typeof byRule>]>([
    [null, 5, 60, [1, `${NOW}:1`]],
    [null, 0, 60, [1, null]],
    [`${NOW}:4`, 5, 60, [1, `${NOW}:5`]],
    [`${NOW}:5`, 5, 60, [0, `${NOW}:5`]],
    [`${NOW - 60}:5`, 5, 60, [1, `${NOW}:1`]],
    [`${NOW - 59}:5`, 5, 60, [0, `${NOW - 59}:5`]],
    // T = 0: every event opens a window; N = 0: events are not counted.
    [`${NOW}:999`, 5, 0, [1, `${NOW}:1`]],
    ['reset by hand', 0, 60, [1, 'reset by hand']],
    ['reset by hand', 5, 60, [-1, 'reset by hand']],
    // A window that starts in the future is not expired before, even with T = 0.
    [`${NOW + 900}:5`, 5, 0, [0, `${NOW + 900}:5`]],
    [`${NOW + 900}:1`, 5, 60, [1, `${NOW + 900}:2`]],
    // The pattern is unanchored: text around it is ignored, and lost at the next event.
    [`-${NOW}:3 events`, 5, 60, [1, `${NOW}:4`]],
    ['x1:2:3', 5, 60, [1, `${NOW}:1`]],
    // Doubles: beyond 2^53 adding 1 changes nothing, and Lua prints 14 digits.
    [`${NOW}:9007199254740993`, 9_007_199_254_740_991, 60, [0, `${NOW}:9007199254740993`]],
    [`${NOW}:99999999999999`, Number.MAX_SAFE_INTEGER, 60, [1, `${NOW}:1e+14`]],
    [`${NOW}:${'9'.repeat(400)}`, 5, 60, [0, `${NOW}:${'9'.repeat(400)}`]],
    [`${'9'.repeat(400)}:1`, 5, 60, [1, 'inf:2']],
  ])('of %s with N = %i and T = %i', async (value, limit, periodSeconds, expected) => {
    const one = { value, limit: { limit, periodSeconds }, now: NOW };
    expect(byRule(one)).toEqual(expected);
    expect(await byLua([one])).toEqual([expected]);
  });

  it('writes numbers as Lua does', async () => {
    const numbers = [
      0,
      7,
      99_999_999_999_999,
      1e14,
      100_000_000_000_005,
      100_000_000_000_015,
      123_456_789_012_345,
      999_999_999_999_995,
      999_999_999_999_996,
      2 ** 53,
      2 ** 63,
      1e21,
      1.5e300,
      Infinity,
    ];
    const written = await test.redis.eval(
      "local out = {} for i, text in ipairs(ARGV) do out[i] = '' .. tonumber(text) end return out",
      0,
      ...numbers.map((number) => (number === Infinity ? '1e999' : BigInt(number).toString())),
    );
    expect(numbers.map(luaNumber)).toEqual(written);
  });

  it('reads a value in linear time, however many digits it has', () => {
    // A match that tries every start would exceed the test's time-out.
    expect(readWindow('1'.repeat(4_000_000))).toBeNull();
    expect(readWindow(`${'1:x'.repeat(1_000_000)}5:6`)).toEqual({ start: 5, count: 6 });
  });

  it.each<[number, number, string]>([
    [79, 100, 'ok'],
    [80, 100, 'near'],
    [99, 100, 'near'],
    [100, 100, 'limited'],
    [0, 1, 'ok'],
    [4, 5, 'near'],
  ])('calls %i of %i %s', (count, limit, state) => {
    expect(stateOf({ start: NOW, count }, { limit, periodSeconds: 60 }, NOW)).toBe(state);
  });
});
