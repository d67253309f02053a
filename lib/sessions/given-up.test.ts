import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { verificationTokens } from '@/lib/tokens/kinds';
import { previewTokens } from '@/lib/tokens/revoke';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { afterCall } from '@/scripts/testing/restart';
import { seedSession } from '@/scripts/testing/sessions';
import { previewRevocation } from './revocation/revoke';
import { searchSessions } from './search';
import { readUser } from './user/user';

let test: TestContext;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  for (let n = 1; n <= 300; n++) await seedSession(test.redis, { userId: String(n) });
});
afterAll(() => test.close());

describe('what goes through the keyspace ends when its caller goes', () => {
  const sink = (signal: AbortSignal) => ({ send: () => undefined, drained: async () => undefined, signal });
  const works: [string, (signal: AbortSignal) => Promise<unknown>][] = [
    ['a search', (signal) => searchSessions(test.ctx, {}, sink(signal))],
    [
      'a complete user',
      (signal) =>
        readUser(
          { ...test.ctx, signal },
          { userId: '1', complete: true, limit: 100, sort: 'created', order: 'desc' },
        ),
    ],
    [
      'the preview of a revocation',
      (signal) => previewRevocation({ ...test.ctx, signal }, { filter: { username: 'nobody' } }),
    ],
    [
      'the preview of tokens',
      (signal) => previewTokens({ ...test.ctx, signal }, verificationTokens, { filter: {} }),
    ],
  ];
  for (const [name, work] of works)
    it(name, async () => {
      const client = new AbortController();
      test.handle.budget = new ScanBudget({ chunk: 10, pauseMs: 0, maxAddedLatencyMs: 10_000 });
      let calls = 0;
      afterCall(
        test,
        (call) => {
          calls = call;
          return call === 3;
        },
        () => client.abort(),
      );
      await work(client.signal).catch((error: Error) => expect(error.name).toBe('AbortError'));
      expect(calls).toBeGreaterThanOrEqual(3);
      // What was under way is one call at most.
      expect(calls).toBeLessThan(6);
    });
});
