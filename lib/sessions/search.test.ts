import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { makeJwt, seedSession } from '@/scripts/testing/sessions';
import { type SearchProgress, sessionContracts } from './schema';
import { searchSessions } from './search';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'support' });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

interface Options {
  raw?: object;
  /** Told of each event; may abort. */
  on?(event: string, abort: () => void): Promise<void> | void;
}

const search = async ({ raw = {}, on }: Options = {}) => {
  const events: [string, unknown][] = [];
  const controller = new AbortController();
  let pending: Promise<void> | void;
  await searchSessions(test.ctx, sessionContracts.search.input.parse(raw), {
    send: (event, data) => {
      events.push([event, data]);
      pending = on?.(event, () => controller.abort());
    },
    drained: async () => {
      await pending;
    },
    signal: controller.signal,
  });
  const of = (name: string) => events.filter(([event]) => event === name).map(([, data]) => data);
  return { events, matches: of('match'), progress: of('progress') as SearchProgress[], end: of('end') };
};

const fill = async (count: number) => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < count; i++) {
    pipeline.hset(`session:${i}:${makeJwt({ i }, 'fill')}`, {
      user_id: i,
      username: `user${i}`,
      created_at: 1,
    });
    pipeline.set(`other:${i}`, 'x');
  }
  await pipeline.exec();
};

it('tells of its progress from the beginning to the end', async () => {
  await fill(3000);
  const { progress, matches, end, events } = await search({ raw: { username: 'user29' } });
  expect(matches).toHaveLength(111);
  expect(progress[0]).toMatchObject({ examined: 0, keys: 6000, matches: 0 });
  expect(progress[progress.length - 1]).toMatchObject({
    examined: 6000,
    keys: 6000,
    sessions: 3000,
    matches: 111,
  });
  expect(events.slice(-2).map(([event]) => event)).toEqual(['progress', 'end']);
  expect(end).toEqual([{ reason: 'complete' }]);
});

it('stops when nobody reads any more, and at its limit', async () => {
  await fill(3000);
  const aborted = await search({ on: (event, abort) => (event === 'match' ? abort() : undefined) });
  expect(aborted.matches.length).toBeLessThanOrEqual(100);
  expect(aborted.end).toEqual([]);
  const limited = await search({ raw: { limit: 7 } });
  expect(limited.matches).toHaveLength(7);
  expect(limited.end).toEqual([{ reason: 'limit' }]);
});

it('waits for whoever reads slowly instead of keeping matches', async () => {
  await fill(1000);
  let waited = 0;
  let waiting = 0;
  await search({
    on: async (event) => {
      if (event !== 'match') return;
      waiting += 1;
      expect(waiting).toBeLessThanOrEqual(200);
      await Promise.resolve();
      waited += 1;
      waiting = 0;
    },
  });
  expect(waited).toBe(1000);
});

it('bears a session that appears, and one that ends, while it goes on', async () => {
  await fill(500);
  const late = makeJwt({}, 'late');
  let done = false;
  const { end, matches } = await search({
    on: async () => {
      if (done) return;
      done = true;
      await test.redis.hset(`session:1:${late}`, { user_id: 1, username: 'late', created_at: 1 });
      await test.redis.del(`session:1:${makeJwt({ i: 1 }, 'fill')}`);
    },
  });
  expect(end).toEqual([{ reason: 'complete' }]);
  expect(matches.length).toBeGreaterThanOrEqual(499);
  expect(matches.length).toBeLessThanOrEqual(501);
});

it('loads nothing large of a session with 10 000 fields and 1 MB of auth_data', async () => {
  const { key } = await seedSession(test.redis, {
    username: 'heavy',
    fields: { auth_data: 'x'.repeat(1_000_000) },
  });
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field${i}`, 'y'.repeat(100)]));
  await test.redis.hset(key, fields);
  const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
  const before = await sent();
  expect((await search({ raw: { username: 'HEAVY' } })).matches).toHaveLength(1);
  expect((await sent()) - before).toBeLessThan(20_000);
});
