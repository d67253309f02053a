import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { WriteContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { listOauthTokens } from '@/lib/tokens/reads';
import { tokenContracts } from '@/lib/tokens/schema';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { clientOf } from '@/scripts/testing/cluster-client';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { type SeededDamage, seedEveryDamage } from '@/scripts/testing/damage';
import { problemOf } from '@/scripts/testing/problem-of';
import { scanAll } from '@/scripts/testing/scan-all';
import { makeJwt } from '@/scripts/testing/sessions';
import { repair } from './repair/repair';
import { REPAIRS } from './repair/schema';
import { revokeSessions } from './revocation/commands';
import { revoke as revokeScope } from './revocation/revoke';
import { sessionContracts } from './schema';
import { listSessions } from './search';
import { readStats } from './stats';

let cluster: Cluster;
let test: TestContext;
let seeded: SeededDamage;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ apps: ['discours'], role: 'support', nodes: cluster.nodes });
}, 40_000);
beforeEach(async () => {
  await test.empty();
  seeded = await seedEveryDamage(test.redis);
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const keys = async (): Promise<string[]> => {
  const clients = test.handle.topology.primaries().map((node) => node.dedicated('test'));
  await Promise.all(clients.map((client) => client.ready()));
  const ofEach = await Promise.all(clients.map(({ redis }) => scanAll(redis)));
  for (const client of clients) client.close();
  return ofEach.flat().map(String).sort();
};

type Rows<T> = { items: T[]; nextCursor: string | null };

/** All pages: a page may end where a primary does. */
const allOf = async <T>(list: (raw: object) => Promise<Rows<T>>): Promise<T[]> => {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Rows<T> = await list(cursor ? { cursor } : {});
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
};

const listed = async (state: string): Promise<number> => {
  const input = (raw: object) => sessionContracts.list.input.parse({ state, ...raw });
  return (await allOf((raw) => listSessions(test.ctx, input(raw)))).length;
};

const revoke = async (raw: object) => {
  const input = { actor: testActor('support'), requestId: randomUUID(), connection: test.handle };
  return runCommand(revokeSessions, { ...input, raw: { reason: 'lost phone', ...raw } });
};

it('counts and lists sessions whose index is on another node, in every state', {
  tags: ['long'],
}, async () => {
  const { byState, sessions, users } = await readStats(test.ctx);
  expect({ byState, sessions, users }).toEqual({
    byState: seeded.byState,
    sessions: seeded.sessions,
    users: seeded.users,
  });
  for (const [state, count] of Object.entries(seeded.byState))
    expect([state, await listed(state)]).toEqual([state, count]);
});

it('reads tokens of many slots', async () => {
  for (let id = 1; id <= 20; id++)
    await test.redis.set(
      `oauth_access:${id}:google`,
      JSON.stringify({ token: 'x', created_at: 1 }),
      'EX',
      60,
    );
  const input = (raw: object) => tokenContracts.oauthList.input.parse(raw);
  const items = await allOf((raw) => listOauthTokens(test.ctx, input(raw)));
  expect(items.map(({ createdAt }) => createdAt)).toEqual(Array(20).fill('1970-01-01T00:00:01.000Z'));
});

it('repairs everything, and a second time nothing', { tags: ['long'] }, async () => {
  const run = () => repair(test.ctx, { kinds: REPAIRS, dryRun: false }, { before: async () => undefined });
  const before = { staleIndex: 4, unindexed: 3, ghost: 2, legacy: 2, noTtl: 2 };
  expect(await run()).toMatchObject({ before, repaired: before, remaining: 0, ended: 1, left: 0 });
  const { unindexed1, unindexed2, noTtl, old } = seeded.named;
  expect(await test.redis.ttl('user_sessions:4')).toBeGreaterThan(1990);
  expect(await test.redis.sismember('user_sessions:5', unindexed2!.token)).toBe(1);
  expect(await test.redis.ttl(unindexed1!.key)).toBeLessThanOrEqual(2000);
  expect(await test.redis.exists(old!.key)).toBe(0);
  expect(await test.redis.smembers('user_sessions:6')).toEqual([noTtl!.token]);
  expect(await run()).toMatchObject({ found: 0, remaining: 0 });
});

it('revokes a session with its legacy key and its index entry, and nothing else', async () => {
  const { anna } = seeded.named;
  const before = await keys();
  expect(await revoke({ filter: { username: 'Анна' } })).toMatchObject({
    matched: 1,
    revoked: 1,
    remaining: 0,
  });
  const ended = [anna!.key, `1-Анна-${anna!.token}`];
  expect(await keys()).toEqual(before.filter((key) => !ended.includes(key)));
  expect(await test.redis.sismember('user_sessions:1', anna!.token)).toBe(0);
});

it('ends a session although its index cannot be changed, says so, and the next repair removes the entry', {
  tags: ['long'],
}, async () => {
  const { anna } = seeded.named;
  const index = 'user_sessions:1';
  expect(cluster.slotOf(anna!.key)).not.toBe(cluster.slotOf(index));
  const direct = clientOf(test, await cluster.serverOf(index));
  await direct.call('ACL', 'SETUSER', 'default', '-srem');
  const refused = await problemOf(revoke({ filter: { username: 'Анна' } }));
  await direct.call('ACL', 'SETUSER', 'default', '+srem');
  expect(refused).toMatchObject({ code: 'not_permitted' });
  expect(refused.message).toContain('The session was ended; its index entry is still there');
  const ended = [anna!.key, `1-Анна-${anna!.token}`];
  expect((await keys()).filter((key) => ended.includes(key))).toEqual([]);
  expect(await test.redis.sismember(index, anna!.token)).toBe(1);
  const before = async () => undefined;
  const repaired = await repair(test.ctx, { kinds: ['staleIndex'], dryRun: false }, { before });
  expect(repaired).toMatchObject({ repaired: { staleIndex: seeded.byState.staleIndex! + 1 }, remaining: 0 });
});

it('ends the session although its legacy key cannot be deleted, says so, and the next revocation deletes it', {
  tags: ['long'],
}, async () => {
  const { anna } = seeded.named;
  const legacy = `1-Анна-${anna!.token}`;
  const unlink: WriteContext['writer']['unlink'] = async (some) => {
    if (some.some((key) => String(key) === legacy)) throw new Problem('unreachable', 'Its node is down.');
    return test.ctx.writer.unlink(some);
  };
  const failing = { ...test.ctx, writer: { ...test.ctx.writer, unlink } };
  const failure = await problemOf(revokeScope(failing, { filter: { username: 'Анна' } }));
  expect(failure.message).toContain('its legacy keys, which may give access too, were not');
  expect([await test.redis.exists(anna!.key), await test.redis.exists(legacy)]).toEqual([0, 1]);
  expect(await revoke({ userId: '1' })).toMatchObject({ remaining: 0 });
  expect(await test.redis.exists(legacy)).toBe(0);
  expect(await test.redis.sismember('user_sessions:1', anna!.token)).toBe(0);
});

it('finds the session again after a stop between its legacy key and itself', { tags: ['long'] }, async () => {
  const { anna } = seeded.named;
  const unlink: WriteContext['writer']['unlink'] = async (some) => {
    if (some.some((key) => String(key) === anna!.key)) throw new Problem('unreachable', 'Its node is down.');
    return test.ctx.writer.unlink(some);
  };
  const failing = { ...test.ctx, writer: { ...test.ctx.writer, unlink } };
  await problemOf(revokeScope(failing, { filter: { username: 'Анна' } }));
  expect(await test.redis.exists(anna!.key)).toBe(1);
  expect(await test.redis.sismember('user_sessions:1', anna!.token)).toBe(1);
  expect(await revoke({ filter: { username: 'Анна' } })).toMatchObject({ revoked: 1, remaining: 0 });
  const ended = [anna!.key, `1-Анна-${anna!.token}`];
  expect((await keys()).filter((key) => ended.includes(key))).toEqual([]);
});

it('revokes, and says what it revoked, while the slots of the session and its index move', {
  tags: ['long'],
}, async () => {
  const { anna } = seeded.named;
  const slots = [cluster.slotOf(anna!.key), cluster.slotOf('user_sessions:1')];
  for (const slot of slots) {
    const [first, second] = await cluster.primaries();
    const owner = await cluster.untilServedBy(slot, () => true);
    await cluster.beginMove(slot, owner === first ? second! : first!);
  }
  await cluster.moveKeys(slots[1]!, 1);
  expect(await revoke({ filter: { username: 'Анна' } })).toMatchObject({ revoked: 1, remaining: 0 });
  for (const slot of slots) await cluster.endMove(slot);
  expect(await test.redis.exists(anna!.key)).toBe(0);
  expect(await test.redis.sismember('user_sessions:1', anna!.token)).toBe(0);
  const [entry] = (await listEntries(test.ctx.store)).items;
  expect(entry).toMatchObject({ action: 'sessions.revoke', after: { oneStep: false, revoked: 1 } });
});

it('finds what an interrupted revocation left', { tags: ['long'] }, async () => {
  const { busy } = seeded.named;
  // After the session itself, before its entry.
  await test.redis.unlink(busy!.key);
  expect((await readStats(test.ctx)).byState).toMatchObject({ staleIndex: seeded.byState.staleIndex! + 1 });
  // After the legacy key, before the session.
  const token = makeJwt({ user_id: 3 }, 'again');
  await test.redis.hset(`session:3:${token}`, { user_id: '3', username: 'alice', created_at: '1700000000' });
  expect(await revoke({ userId: '3' })).toMatchObject({ remaining: 0 });
  expect((await keys()).filter((key) => key.startsWith('session:3:'))).toEqual([]);
});
