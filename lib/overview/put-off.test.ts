import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { outdatePass } from '@/lib/rate-limits/pass';
import { DAY, HOUR, iso } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { putOff } from './commands';
import { getOverview } from './overview';
import { canPutOff } from './put-off';
import { overviewContracts } from './schema';

type Role = 'admin' | 'support' | 'product' | 'viewer';
const ID = 'limited-projects';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({
    apps: ['discours', 'hawk'],
    hawk: { eventsLimit: 100, eventsPeriodSeconds: 60 },
  });
});
beforeEach(async () => {
  await test.empty();
  await test.redis.hset('rate_limits', 'a', `${Math.floor(Date.now() / 1000)}:1000000`);
  outdatePass(test.handle, test.ctx.catalog);
});
afterAll(() => test.close());

const attention = async (role: Role = 'admin', now = Date.now()) => {
  forget('overview sizes', 'overview sessions');
  const ctx = { ...test.as({ actor: testActor(role) }), now: () => now };
  const { attention: items } = overviewContracts.get.result.parse(await getOverview(ctx));
  return items.filter(({ id }) => id === ID);
};
const run = (raw: object, role: Role = 'support') =>
  runCommand(putOff, {
    actor: testActor(role),
    requestId: randomUUID(),
    connection: test.handle,
    raw,
  });
const refusal = (raw: object, role?: Role) =>
  run(raw, role).then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => (error instanceof Problem ? error.status : error),
  );
const inOneHour = () => iso(Date.now() + HOUR);

it('is off for everybody until its time, and is shown again before on request', async () => {
  expect(await attention()).toMatchObject([{ id: ID, canPutOff: true, putOff: null }]);
  const until = inOneHour();
  await run({ id: ID, until, reason: 'Ticket 12: secret=hunter2hunter2' });
  const [off] = await attention('admin');
  expect(off!.putOff).toMatchObject({ until, by: expect.stringContaining('support') });
  expect(off!.putOff!.reason).toContain('Ticket 12');
  expect(off!.putOff!.reason).not.toContain('hunter2');
  expect((await attention('admin', Date.parse(until) + 1))[0]!.putOff).toBeNull();
  await run({ id: ID, until: null });
  expect((await attention())[0]!.putOff).toBeNull();
  expect(JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'))).toContain(
    'overview.putOff',
  );
});

it('refuses what cannot be put off', async () => {
  expect(await refusal({ id: ID, until: inOneHour() })).toBe(400);
  expect(await refusal({ id: ID, until: inOneHour(), reason: '  ' })).toBe(400);
  expect(await refusal({ id: ID, until: iso(Date.now() - HOUR), reason: 'x' })).toBe(400);
  expect(await refusal({ id: ID, until: iso(Date.now() + 31 * DAY), reason: 'x' })).toBe(400);
  expect(await refusal({ id: 'no-ttl:nothing', until: inOneHour(), reason: 'x' })).toBe(404);
  expect(await refusal({ id: 'audit-alarm', until: inOneHour(), reason: 'x' })).toBe(409);
  expect(await refusal({ id: ID, until: inOneHour(), reason: 'x' }, 'viewer')).toBe(403);
  // Product does not see the guard, so it learns nothing of it.
  expect(await refusal({ id: ID, until: inOneHour(), reason: 'x' }, 'product')).toBe(404);
  expect((await attention())[0]!.putOff).toBeNull();
});

it('leaves signs of tampering in sight, whatever the store says', async () => {
  expect(['audit-alarm', 'audit-overdue', 'records-refused', 'store-gone'].filter(canPutOff)).toEqual([]);
  await test.storeRedis.hset('keyward:put-off:main', ID, '{"until":"soon"}');
  expect((await attention())[0]!.putOff).toBeNull();
});
