import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { SeenKeys, scanBranches } from './scan';
import type { Branch } from './target';

const bytes = (text: string) => Buffer.from(text);

describe('keys seen before', () => {
  it('are told from new ones as a set of strings tells them', () => {
    const [seen, known] = [new SeenKeys(), new Set<string>()];
    // Half of them of a byte or two, so that many come twice.
    const keys = Array.from({ length: 60_000 }, (_, i) => randomBytes(i % 2 ? 1 + (i % 3) : i % 90));
    const told = keys.map((key) => seen.isNew(key));
    const right = keys.map((key) => known.size < known.add(key.toString('latin1')).size);
    expect(told).toEqual(right);
    expect(known.size).toBeGreaterThan(30_000);
    expect(keys.some((key) => seen.isNew(key))).toBe(false);
  });

  it('may be empty, or longer than all before', () => {
    const seen = new SeenKeys();
    const long = Buffer.alloc(1 << 20, 'k');
    for (const key of [Buffer.alloc(0), long, long.subarray(1)]) {
      expect(seen.isNew(key)).toBe(true);
      expect(seen.isNew(key)).toBe(false);
    }
  });

  it('are not taken for one whose digest is their name', () => {
    const seen = new SeenKeys();
    const long = bytes('k'.repeat(64));
    const digest = '2519b49bcf69feac270ac3c8631539e8caed4c7e6a62c6cc5511228a61780745';
    expect([long, bytes(digest), bytes(digest.slice(1))].every((key) => seen.isNew(key))).toBe(true);
  });

  it('are copied: what a key lay in may change afterwards', () => {
    const [seen, reply] = [new SeenKeys(), bytes('first')];
    expect(seen.isNew(reply)).toBe(true);
    reply.write('other');
    expect(seen.isNew(reply)).toBe(true);
    expect(seen.isNew(bytes('first'))).toBe(false);
  });
});

describe('a scan for several branches', () => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'] });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const branch = (match: string, end: string): Branch => ({
    ...{ id: match, title: match, keys: [], included: true, wider: false, known: true },
    search: { match, accepts: (key) => key.toString().endsWith(end) },
  });

  it.each([0, 1])(
    'gives a key once that the server gives several times: pauses of %i ms',
    async (pauseMs) => {
      test.handle.budget = new ScanBudget({ chunk: 10, pauseMs, maxAddedLatencyMs: 10_000 });
      const names = Array.from({ length: 300 }, (_, i) => `k:${i}`);
      await test.redis.mset(names.flatMap((name) => [name, 'x']));
      const branches = [branch('k:*', ''), branch('k*', ''), branch('*:*', '7')];
      const seen = new SeenKeys();
      expect(seen.isNew(bytes('k:7'))).toBe(true);
      const found: string[] = [];
      for await (const { keys } of scanBranches(test.ctx, { branches, seen, times: 2 }))
        found.push(...keys.map(String));
      expect(found.sort()).toEqual(names.filter((name) => name !== 'k:7').sort());
    },
  );
});
