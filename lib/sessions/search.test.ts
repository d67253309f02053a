import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { makeJwt, seedSession } from '@/scripts/testing/sessions';
import { type SearchProgress, type Session, sessionContracts } from './schema';
import { searchSessions } from './search';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'support' });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

interface Options {
  raw?: object;
  /** Called for each event; may abort. */
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

it('tells of its progress from the beginning to the end', { tags: ['long'] }, async () => {
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

it('asks the server for nothing more once whoever reads is gone, however slowly it goes', {
  tags: 'long',
}, async () => {
  await fill(3000);
  const { budget } = test.handle;
  test.handle.budget = new ScanBudget({ chunk: 50, pauseMs: 20, maxAddedLatencyMs: 1000 });
  try {
    const commands = () => test.handle.own.snapshot().commands;
    const start = commands();
    const raw = { username: 'user' };
    const { end } = await search({ raw, on: (event, abort) => (event === 'match' ? abort() : undefined) });
    const untilAborted = commands() - start;
    expect(end).toEqual([]);
    const { progress } = await search({ raw });
    expect(progress[progress.length - 1]).toMatchObject({ examined: 6000, sessions: 3000, matches: 3000 });
    // One chunk was looked at, and one more was on its way: of more than a hundred.
    expect(untilAborted).toBeLessThan((commands() - start - untilAborted) / 20);
  } finally {
    test.handle.budget = budget;
  }
});

it('tells keys, sessions and matches so far, and a rate, never less than before', {
  tags: 'long',
}, async () => {
  await fill(3000);
  const { budget } = test.handle;
  test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 260, maxAddedLatencyMs: 1000 });
  try {
    const { progress } = await search({ raw: { username: '9' } });
    expect(progress.length).toBeGreaterThan(4);
    for (const [i, { examined, keys, sessions, matches, ratePerSecond }] of progress.entries()) {
      const before = progress[i - 1];
      expect(keys).toBe(6000);
      if (!before) continue;
      // The last one is sent however recent the previous one is.
      expect(examined).toBeGreaterThanOrEqual(before.examined);
      expect(sessions).toBeGreaterThanOrEqual(before.sessions);
      expect(matches).toBeGreaterThanOrEqual(before.matches);
      expect(ratePerSecond).toBeGreaterThan(0);
      // Keys and sessions are spread evenly: half of the keys are sessions.
      expect(Math.abs(sessions / examined - 0.5)).toBeLessThan(0.2);
    }
  } finally {
    test.handle.budget = budget;
  }
});

it('leaves out devices by their agent only where the text is nowhere else', { tags: ['long'] }, async () => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
  const infos: [string, string][] = [
    ['plain', JSON.stringify({ user_agent: agent, ip: '10.0.0.1' })],
    ['spaced', `{ "user_agent" : "${agent}", "ip": "10.0.0.1" }`],
    ['last', JSON.stringify({ ip: '10.0.0.1', user_agent: agent })],
    ['named', JSON.stringify({ user_agent: agent, device_name: 'My Nokia' })],
    ['named before', JSON.stringify({ device_name: 'NOKIA 3310', user_agent: agent })],
    ['escaped', `{"user_agent":"${agent}","device_name":"\\u004eokia"}`],
    ['other agent', JSON.stringify({ user_agent: 'Nokia3310/1.0', ip: '10.0.0.1' })],
    ['without', JSON.stringify({ ip: '10.0.0.1' })],
  ];
  for (let i = 0; i < 40; i++)
    for (const [username, device_info] of infos)
      await seedSession(test.redis, { userId: String(i), username, fields: { device_info } });
  const { budget } = test.handle;
  // Many calls: the agents that the first ones met go along with the later ones.
  test.handle.budget = new ScanBudget({ chunk: 10, pauseMs: 0, maxAddedLatencyMs: 1000 });
  try {
    const namesOf = async (device: string) => {
      const { matches } = await search({ raw: { device } });
      expect(matches.length % 40).toBe(0);
      return [...new Set(matches.map((match) => (match as Session).username))].sort();
    };
    expect(await namesOf('nokia')).toEqual(['escaped', 'named', 'named before', 'other agent']);
    expect(await namesOf('firefox 143')).toEqual(['last', 'plain', 'spaced']);
    expect(await namesOf('gecko/2010')).toEqual([
      'escaped',
      'last',
      'named',
      'named before',
      'plain',
      'spaced',
    ]);
    expect(await namesOf('user_agent')).toEqual([]);
  } finally {
    test.handle.budget = budget;
  }
});

it('waits for whoever reads slowly instead of keeping matches', { tags: ['long'] }, async () => {
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
