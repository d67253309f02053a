import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { systemActor } from '@/lib/actor';
import { chainOf } from '@/lib/audit/chain';
import { appendEvent } from '@/lib/audit/log';
import { listEntries } from '@/lib/audit/reads';
import { verifyChain } from '@/lib/audit/verify';
import { auditStatus, watchHead } from '@/lib/audit/watch';
import { changeInput, changeResult, contract } from '@/lib/contract';
import { newId } from '@/lib/ids';
import { store } from '@/lib/redis/store';
import type { RedisServer } from '@/scripts/redis-server.mjs';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { storeBehindSentinels } from '@/scripts/testing/store-behind-sentinels';
import { defineCommand } from './define';
import { runCommand } from './run';

let test: TestContext;
let watched: Sentinels;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  watched = await startSentinels({ replicas: 1 });
  storeBehindSentinels(watched);
});
afterAll(async () => {
  await test.close();
  await watched.stop();
});

const command = defineCommand({
  contract: contract({
    id: 'test.set',
    method: 'POST',
    path: '/api/v1/connections/{connection}/thing',
    permission: 'flags:toggle',
    summary: 'Sets the thing.',
    input: changeInput({ value: z.string().max(50) }),
    result: changeResult({ value: z.string() }),
  }),
  target: () => 'the thing',
  redact: () => ({}),
  run: async ({ writer }, { value }) => {
    await writer.write(['SADD', Buffer.from('things'), value]);
    return { result: { value }, before: null, after: value };
  },
});
const add = (value: string) =>
  runCommand(command, {
    actor: testActor('product'),
    requestId: value,
    connection: test.handle,
    raw: { value },
  });
const added = async () => (await test.redis.smembers('things')).sort();
const entries = async () =>
  (await listEntries(store(), { limit: 100 })).items.map(({ outcome, detail }) => detail ?? outcome);

const replicaOf = (primary: RedisServer): RedisServer =>
  watched.servers.find((server) => server !== primary)!;

/** Events of a change that is over: they need no replica. */
const recordEvents = async (count: number) => {
  for (let i = 0; i < count; i++)
    await appendEvent(store(), {
      id: newId(),
      actor: systemActor(),
      action: 'test.event',
      connection: null,
      target: null,
      reason: null,
      input: null,
      requestId: null,
      outcome: 'succeeded',
    });
};

it('changes something when a replica has the record of it, and nothing otherwise', async () => {
  await add('first');
  expect(await added()).toEqual(['first']);
  const primary = (await watched.primary())!;
  const replica = replicaOf(primary);
  replica.process.kill('SIGSTOP');
  const problem = await problemOf(add('second'));
  replica.process.kill('SIGCONT');
  expect(problem).toMatchObject({ status: 503, code: 'store_unavailable' });
  expect(problem.message).toMatch(/No replica .* nothing was changed/);
  expect(await added()).toEqual(['first']);
  expect(await entries()).toEqual([
    expect.stringMatching(/^refused: no replica .* nothing was changed$/),
    'succeeded',
  ]);
  await expect.poll(() => add('third').then(() => 'done', String), { timeout: 5000 }).toBe('done');
  expect(await added()).toEqual(['first', 'third']);
  await expect.poll(entries).toEqual(['succeeded', expect.stringContaining('refused'), 'succeeded']);
  expect(await verifyChain(store())).toMatchObject({ ok: true });
});

it('takes records that were lost with their primary for no removal', async () => {
  await watchHead(store());
  const primary = (await watched.primary())!;
  const replica = replicaOf(primary);
  // The replica stays a candidate, and gets nothing more.
  const direct = test.redis.duplicate({ port: replica.port });
  await direct.replicaof('127.0.0.1', 1);
  direct.disconnect();
  const before = await store().use((redis) => redis.hget('keyward:audit-head', 'seq'));
  await recordEvents(3);
  await watchHead(store());
  const known = chainOf(store()).known.newest!.seq;
  expect(known).toBeLessThanOrEqual(Number(before));
  primary.process.kill('SIGKILL');
  await watched.untilPrimaryIsNot(primary);
  await expect.poll(() => watchHead(store()).then(() => 'read', String), { timeout: 10_000 }).toBe('read');
  expect(await auditStatus(store())).toMatchObject({ rows: expect.any(Number), alarm: null });
  expect((await problemOf(add('fourth'))).code).toBe('store_unavailable');
  expect(await verifyChain(store())).toMatchObject({ ok: true });
  expect(chainOf(store()).known.problem).toBeNull();
}, 30_000);

it('says of a record whose reply was lost that nothing was changed', async () => {
  const primary = (await watched.primary())!;
  primary.process.kill('SIGSTOP');
  expect((await problemOf(add('fifth'))).code).toBe('store_unavailable');
  primary.process.kill('SIGCONT');
  const ended = 'refused: the reply to this record was lost; nothing was changed';
  await expect.poll(() => entries().then(([newest]) => newest, String), { timeout: 10_000 }).toBe(ended);
  expect(await added()).not.toContain('fifth');
}, 30_000);
