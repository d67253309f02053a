import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { WriteContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { seedSession } from '@/scripts/testing/sessions';
import { handleOf } from './keys';
import { repair } from './repair/repair';
import { revokeSessions } from './revocation/commands';
import { revoke } from './revocation/revoke';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'support' });
});
beforeEach(() => test.empty());
afterEach(async () => {
  await test.redis.config('SET', 'maxmemory', '0');
  await test.redis.call('REPLICAOF', 'NO', 'ONE');
  await test.redis.call('ACL', 'SETUSER', 'default', 'allkeys', '+@all');
});
afterAll(() => test.close());

const refusalOf = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => error as Problem,
  );

const ask = (raw: object) =>
  runCommand(revokeSessions, {
    actor: testActor('support'),
    requestId: randomUUID(),
    connection: test.handle,
    raw,
  });

it.each([
  ['full', () => test.redis.config('SET', 'maxmemory', '1')],
  ['replica', () => test.redis.call('REPLICAOF', '127.0.0.1', '1')],
] as const)(
  'a repair on a server that is %s fails with that reason, and never as done',
  async (code, enter) => {
    for (let i = 0; i < 3; i++) await seedSession(test.redis, { indexed: false });
    await enter();
    const work = repair(test.ctx, { kinds: ['unindexed'], dryRun: false }, { before: async () => undefined });
    const refusal = await refusalOf(work);
    expect(refusal).toMatchObject({ code, status: 503 });
    expect(refusal.message).toContain('Repaired before: 0.');
  },
);

it('a revocation on a replica is refused, and revokes nothing', async () => {
  const { userId, token } = await seedSession(test.redis);
  await test.redis.call('REPLICAOF', '127.0.0.1', '1');
  const refusal = await refusalOf(ask({ handles: [handleOf(userId, Buffer.from(token))] }));
  expect(refusal).toMatchObject({ code: 'read_only', status: 423 });
  expect(await test.redis.exists(`session:${userId}:${token}`)).toBe(1);
});

it('does not say that all is known of a user whose other tokens may not be read', async () => {
  const { userId, token } = await seedSession(test.redis);
  const keys = ['~session:*', '~user_sessions:*', `~${userId}-*`];
  await test.redis.call('ACL', 'SETUSER', 'default', 'resetkeys', ...keys);
  const result = await ask({ handles: [handleOf(userId, Buffer.from(token))] });
  expect(result).toMatchObject({ revoked: 1, remaining: 0, unverified: 0, stillValidComplete: false });
});

it('calls what was revoked and cannot be read again unverified, not gone', async () => {
  const { userId, token } = await seedSession(test.redis);
  const { reader, writer } = test.ctx;
  let lost = false;
  const away = new Problem('unreachable', 'gone');
  const ctx: WriteContext = {
    ...test.ctx,
    writer: {
      ...writer,
      run: async (...call) => {
        const reply = await writer.run(...call);
        lost = true;
        return reply;
      },
    },
    reader: {
      ...reader,
      readMany: (commands) => (lost ? Promise.reject(away) : reader.readMany(commands)),
      size: () => (lost ? Promise.reject(away) : reader.size()),
    },
  };
  const { result } = await revoke(ctx, { handles: [handleOf(userId, Buffer.from(token))] });
  expect(result).toMatchObject({ revoked: 1, remaining: 0, unverified: 1, stillValidComplete: false });
});
