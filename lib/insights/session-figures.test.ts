import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { writeCensus } from '@/lib/history/census';
import { takeCensus } from '@/lib/sampler/census';
import { SESSION_STATES, type Session, sessionContracts } from '@/lib/sessions/schema';
import { listSessions } from '@/lib/sessions/search';
import { readStats } from '@/lib/sessions/stats';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { readUser } from '@/lib/sessions/user/user';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { seedEveryDamage } from '@/scripts/testing/damage';
import { getOverview } from './overview';
import { listFamilies } from './reads';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
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

it('says one number of sessions on the overview, the page of sessions, in its list and by state', async () => {
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
  for (const state of SESSION_STATES.filter((one) => one !== 'legacy' && one !== 'staleIndex'))
    expect([state, stats.byState?.[state]]).toEqual([
      state,
      listed.filter(({ states }) => states.includes(state)).length,
    ]);
  // The families count keys of their grammar: the others are told as unclassified there.
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

it('shows on the overview what the page of sessions counted last', async () => {
  await seedEveryDamage(test.redis);
  expect((await getOverview(test.ctx)).sessions).toBe(18);
  await test.redis.hset('session:77:x', 'user_id', '77');
  const { sessions } = await readStats(test.ctx);
  expect(sessions).toBe(19);
  expect((await getOverview(test.ctx)).sessions).toBe(19);
});
