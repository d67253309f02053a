import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listFamilies } from '@/lib/families/list';
import { listBlacklist, listBlockedProjects } from '@/lib/guard/reads';
import { readGuardHistory } from '@/lib/guard/traffic/history';
import { writeCensus } from '@/lib/history/census';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { readPresence } from '@/lib/presence/reads';
import { presenceContracts } from '@/lib/presence/schema';
import { outdatePass } from '@/lib/rate-limits/pass';
import { listWindows } from '@/lib/rate-limits/reads';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { whatIf } from '@/lib/rate-limits/what-if';
import { countOnline } from '@/lib/role-keys/count-online';
import { takeCensus } from '@/lib/sampler/census';
import { IpProbe } from '@/lib/sampler/ip-probe';
import { SESSION_STATES, type Session, sessionContracts } from '@/lib/sessions/schema';
import { listSessions } from '@/lib/sessions/search';
import { readStats } from '@/lib/sessions/stats';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { readUser } from '@/lib/sessions/user/user';
import { iso, MINUTE } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { seedEveryDamage } from '@/scripts/testing/damage';
import { forget } from '@/scripts/testing/forget';
import { getOverview as shared } from './overview';

const getOverview = (...args: Parameters<typeof shared>) => {
  forget('overview sizes', 'overview sessions');
  return shared(...args);
};

let test: TestContext;
beforeAll(async () => {
  test = await testContext({
    apps: ['discours', 'hawk'],
    hawk: { eventsLimit: 100, eventsPeriodSeconds: 60 },
  });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const listAll = async (raw: object = {}): Promise<Session[]> => {
  const sessions: Session[] = [];
  let cursor: string | null = null;
  do {
    const input = { ...raw, limit: 5, ...(cursor === null ? {} : { cursor }) };
    const page = await listSessions(test.ctx, sessionContracts.list.input.parse(input));
    sessions.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return sessions;
};

it('shows one number of sessions on the overview, the sessions page, in its list and by state', {
  tags: ['long'],
}, async () => {
  const seeded = await seedEveryDamage(test.redis);
  await writeCensus(
    test.ctx.store,
    'main',
    (await takeCensus(test.handle, new AbortController().signal)).census,
  );
  const overview = await getOverview(test.ctx);
  const stats = await readStats(test.ctx);
  const listed = await listAll();
  expect([overview.sessions, stats.sessions, listed.length]).toEqual(Array(3).fill(seeded.sessions));
  expect(overview.sessionsCountedAt).not.toBeNull();
  for (const state of SESSION_STATES.filter((one) => one !== 'legacy' && one !== 'staleIndex'))
    expect([state, stats.byState?.[state]]).toEqual([
      state,
      listed.filter(({ states }) => states.includes(state)).length,
    ]);
  // Families count the keys of their grammar; the page of families shows the others as unclassified.
  const { items, unclassified } = await listFamilies(test.ctx);
  const keys = items.find(({ family }) => family === 'discours.session')!.keys!;
  const outside = ['session:10:\xff\xfe', 'session:guest:', 'session:'].length;
  expect(keys).toBe(seeded.sessions - outside);
  expect(unclassified).toBeGreaterThanOrEqual(outside);
});

it('counts as unindexed what the rows say is not indexed, ghosts and malformed ones too', async () => {
  const seeded = await seedEveryDamage(test.redis);
  const { byState } = await readStats(test.ctx);
  const rows = (await listAll()).filter(({ indexed }) => !indexed);
  expect(byState?.unindexed).toBe(rows.length);
  expect(rows.every(({ states }) => states.includes('unindexed'))).toBe(true);
  expect(rows.filter(({ states }) => states.includes('ghost'))).toHaveLength(1);
  expect((await listAll({ state: 'unindexed' })).map(({ fingerprint }) => fingerprint).sort()).toEqual(
    rows.map(({ fingerprint }) => fingerprint).sort(),
  );
  for (const userId of new Set(rows.map((row) => row.userId))) {
    if (userId === null) continue;
    const user = await readUser(test.ctx, sessionUserContracts.user.input.parse({ userId }));
    expect([userId, user.unindexed]).toEqual([userId, rows.filter((row) => row.userId === userId).length]);
  }
  expect(seeded.byState.unindexed).toBe(rows.length);
});

it('shows on the overview what the sessions page counted last', async () => {
  await seedEveryDamage(test.redis);
  expect((await getOverview(test.ctx)).sessions).toBe(18);
  await test.redis.hset('session:77:x', 'user_id', '77');
  const { sessions } = await readStats(test.ctx);
  expect(sessions).toBe(19);
  expect((await getOverview(test.ctx)).sessions).toBe(19);
});

it('shows one number of limited, blocked and banned wherever one is shown', { tags: 'long' }, async () => {
  const now = Math.floor(Date.now() / 1000);
  await test.redis.hset('rate_limits', {
    ...Object.fromEntries([1, 2, 3].map((n) => [`${n}`.padStart(24, '0'), `${now}:100`])),
    ['4'.padStart(24, '0')]: `${now}:80`,
    ['5'.padStart(24, '0')]: `${now - 600}:100`,
    ['6'.padStart(24, '0')]: 'unreadable',
  });
  await test.redis.sadd('DisabledProjectsSet', 'a', 'b');
  await test.redis.sadd('BlacklistIPsSet', '10.0.0.1');
  outdatePass(test.handle, test.ctx.catalog);
  const overview = await getOverview(test.ctx);
  await new IpProbe(test.handle, test.ctx.store).tick();
  const windows = await listWindows(test.ctx, rateLimitContracts.list.input.parse({}));
  const { all } = await whatIf(test.ctx, { limit: 100, periodSeconds: 60 });
  const span = { from: iso(Date.now() - MINUTE), to: iso(Date.now() + MINUTE), stepSeconds: 10 };
  const point = (await readGuardHistory(test.ctx, span)).points.at(-1);
  const attention = overview.attention.find(({ id }) => id === 'limited-projects');

  const limited = [overview.limitedProjects, windows.counts.limited, point?.limitedProjects];
  expect(limited).toEqual([3, 3, 3]);
  expect(attention?.text).toBe('3 projects have used up their rate limit');
  // "Refused" by the limits is another figure: limited windows and unreadable ones.
  expect(all?.refusedAtPresent).toBe(windows.counts.limited + windows.counts.unreadable);
  const blocked = (await listBlockedProjects(test.ctx, { limit: 10 })).total;
  expect([overview.blockedProjects, blocked, point?.blockedProjects]).toEqual([2, 2, 2]);
  const banned = (await listBlacklist(test.ctx, { limit: 10 })).total;
  expect([overview.blacklistedIps, banned, point?.blacklistedIps]).toEqual([1, 1, 1]);

  // It is of now, with its time: a window that is reset is not limited any more.
  await test.redis.hdel('rate_limits', '1'.padStart(24, '0'));
  await expect
    .poll(async () => {
      const { limitedProjects, limitedProjectsCountedAt } = await getOverview(test.ctx);
      return [limitedProjects, Date.parse(limitedProjectsCountedAt ?? '') > Date.now() - 5000];
    })
    .toEqual([2, true]);
});

it.each([
  ['set', 2],
  ['zset', 2],
  ['string', null],
] as const)('shows one number of users online, of a %s', async (type, expected) => {
  const catalog = catalogFor(['qianxun']);
  const ctx = { ...test.ctx, catalog };
  if (type === 'set') await test.redis.sadd('onlines', 'u1', 'u2');
  else if (type === 'zset') await test.redis.zadd('onlines', 1, 'u1', 2, 'u2');
  else await test.redis.set('onlines', 'u1');
  const { onlineUsers } = await getOverview(ctx);
  const page = readPresence(ctx, presenceContracts.get.input.parse({})).then(({ online }) => online);
  const [onPage, counted] = [
    await page.catch(() => null),
    await countOnline(test.handle.background, catalog),
  ];
  // The probe of the presence history counts with that function too.
  expect([onlineUsers, onPage, counted]).toEqual([expected, expected, expected]);
});

it('leaves limited unknown where the windows cannot be read, and never says 0 instead', async () => {
  await test.redis.set('rate_limits', 'wrong type');
  outdatePass(test.handle, test.ctx.catalog);
  expect(await getOverview(test.ctx)).toMatchObject({
    limitedProjects: null,
    limitedProjectsCountedAt: null,
  });
});
