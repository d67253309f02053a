import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { TailReader } from '@/scripts/testing/tail';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { closeHubs } from './hub';
import { MAX_PUBLISHED, publishMessage } from './publish';

const SECRET = 'hunter2-hunter2';
const NEWS = 'notifications:global';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  forget('published messages');
  closeHubs();
});
afterAll(async () => {
  closeHubs();
  await test.close();
});

type Role = Parameters<typeof testActor>[0];

const publish = (
  raw: object,
  { role = 'admin', on = test.handle }: { role?: Role; on?: ConnectionHandle } = {},
) => runCommand(publishMessage, { actor: testActor(role), requestId: randomUUID(), connection: on, raw });

const entries = async () => (await listEntries(store())).items;

describe('publishing', () => {
  it.skipIf(IS_REDIS_6)(
    'reaches the applications, and counts them without this console',
    { tags: ['long'] },
    async () => {
      const other = test.redis.duplicate();
      const heard: string[] = [];
      other.on('message', (_channel, message) => heard.push(message));
      await other.subscribe(NEWS, 'line\nbreak');
      const reader = await new TailReader(test.ctx, { channels: [NEWS], patterns: ['*'] }).begun();
      try {
        const payload = '{"type":"greeting"}';
        expect(await publish({ channel: NEWS, payload })).toMatchObject({ receivers: 1 });
        expect(
          await publish({ channelId: Buffer.from('line\nbreak').toString('base64url'), payload: 'ü' }),
        ).toEqual({
          receivers: 1,
          auditId: expect.any(String),
        });
        expect(await publish({ channel: 'nobody', payload: '' })).toMatchObject({ receivers: 0 });
        expect(await publish({ channel: NEWS, payload, sharded: true })).toMatchObject({ receivers: 0 });
        await reader.until(({ messages }) => messages.length === 3);
        expect(reader.payloads).toEqual([payload, 'ü', '']);
        await expect.poll(() => heard).toEqual([payload, 'ü']);
      } finally {
        other.disconnect();
        await reader.close();
      }
    },
  );

  it('is on record with a digest and the kind of the message, never with the message', async () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;
    const payload = JSON.stringify({
      type: 'news',
      action: 'created',
      password: SECRET,
      note: 'a private note',
    });
    await publish({ channel: `session:1:${token}`, payload, reason: 'a test' });
    const [entry] = await entries();
    const inside = JSON.stringify({ password: SECRET });
    await publish({ channel: NEWS, payload: JSON.stringify({ type: inside, action: inside }) });
    expect(entry).toMatchObject({
      action: 'channels.publish',
      target: 'session:1:•••',
      outcome: 'succeeded',
      reason: 'a test',
      after: {
        receivers: 0,
        bytes: Buffer.byteLength(payload),
        type: 'news',
        action: 'created',
        digest: expect.stringMatching(/^[\w-]{22}$/),
      },
    });
    const all = JSON.stringify(await entries());
    for (const secret of [SECRET, 'private note', token.slice(0, 20)]) expect(all).not.toContain(secret);
  });

  it.each(['support', 'product', 'viewer'] as const)('is refused to %s', async (role) => {
    const problem = await problemOf(publish({ channel: NEWS, payload: 'x' }, { role }));
    expect([problem.status, problem.code]).toEqual([403, 'forbidden']);
  });

  it('is limited to thirty a minute and user, and the refusal is counted', async () => {
    for (let i = 0; i < MAX_PUBLISHED; i++) await publish({ channel: 'x', payload: String(i) });
    const problem = await problemOf(publish({ channel: 'x', payload: 'one more' }));
    expect([problem.status, problem.code]).toEqual([429, 'throttled']);
    expect(problem.extensions.retryAfterSeconds).toBeGreaterThan(50);
    expect((await entries())[0]).toMatchObject({ outcome: 'failed', detail: 'refused: throttled' });
  });

  it('needs the id of a production connection, and is refused on one that is read-only', async () => {
    const config = { ...test.handle.config, environment: 'production' as const };
    const production = openConnection(config);
    const readOnly = openConnection({ ...config, readOnly: true });
    try {
      const raw = { channel: NEWS, payload: 'x' };
      expect((await problemOf(publish(raw, { on: production }))).code).toBe('confirmation_required');
      expect(await publish({ ...raw, confirm: config.id }, { on: production })).toMatchObject({
        receivers: 0,
      });
      const problem = await problemOf(publish({ ...raw, confirm: config.id }, { on: readOnly }));
      expect([problem.status, problem.code]).toEqual([423, 'read_only']);
    } finally {
      production.topology.close();
      readOnly.topology.close();
    }
  });

  it.each([
    ['no channel', { payload: 'x' }],
    ['both a name and an id', { channel: 'x', channelId: 'eA', payload: 'x' }],
    ['an id of no channel', { channelId: 's.AAAA', payload: 'x' }],
    ['a name above 4 KiB', { channel: 'ü'.repeat(4000), payload: 'x' }],
    ['a payload above 64 KiB', { channel: 'x', payload: 'ü'.repeat(40_000) }],
    ['a channel of Redis', { channel: '__keyevent@0__:keymiss', payload: 'x' }],
    ['a channel of Keyward', { channel: 'keyward:fence:x', payload: 'x' }],
  ])('refuses %s before anything is recorded', async (_, raw) => {
    const problem = await problemOf(publish(raw));
    expect([problem.status, problem.code]).toEqual([400, 'bad_input']);
    expect(await entries()).toEqual([]);
  });

  it('is in doubt where the answer was lost', { tags: 'long', timeout: 15_000 }, async () => {
    await test.redis.client('PAUSE', 20_000, 'WRITE');
    const problem = await problemOf(publish({ channel: NEWS, payload: 'x' }));
    await test.redis.client('UNPAUSE');
    expect(problem).toMatchObject({ status: 503, code: 'unreachable', extensions: { inDoubt: true } });
    expect((await entries())[0]).toMatchObject({ outcome: 'pending' });
  });
});
