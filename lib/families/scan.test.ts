import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { scanBranches } from './scan';
import type { Branch } from './target';

describe('a scan for several branches', () => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'] });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const branch = (match: string, end: string): Branch => ({
    id: match,
    title: match,
    keys: [],
    included: true,
    wider: false,
    known: true,
    search: { match, accepts: (key) => key.toString().endsWith(end) },
  });

  it.each([0, 1])(
    'gives a key once that the server gives several times: pauses of %i ms',
    async (pauseMs) => {
      test.handle.budget = new ScanBudget({ chunk: 10, pauseMs, maxAddedLatencyMs: 10_000 });
      const names = Array.from({ length: 300 }, (_, i) => `k:${i}`);
      await test.redis.mset(names.flatMap((name) => [name, 'x']));
      const branches = [branch('k:*', ''), branch('k*', ''), branch('*:*', '7')];
      const except = new Set(['k:7']);
      const found: string[] = [];
      for await (const { keys } of scanBranches(test.ctx, branches, { except }))
        found.push(...keys.map(String));
      expect(found.sort()).toEqual(names.filter((name) => name !== 'k:7').sort());
    },
  );
});
