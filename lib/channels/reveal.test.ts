import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { store } from '@/lib/redis/store';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { MARK, NAMED } from '@/scripts/testing/secret-shapes';
import { TailReader } from '@/scripts/testing/tail';
import { closeHubs } from './hub';
import { revealMessage } from './reveal';

const SESSION = `session:1:eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;

let test: TestContext;
let reader: TailReader;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  closeHubs();
  await test.empty();
  reader = await new TailReader(test.ctx, { patterns: ['*'] }).begun();
});
afterAll(async () => {
  await reader.close();
  closeHubs();
  await test.close();
});

/** The message as the tail shows it. */
const heard = async (channel: string, payload: string) => {
  const before = reader.messages.length;
  await test.redis.publish(channel, payload);
  await reader.until(({ messages }) => messages.length > before);
  return reader.messages.at(-1)!;
};

const reveal = (
  { channelId, id }: { channelId: string | null; id: string },
  role: Parameters<typeof testActor>[0] = 'admin',
) =>
  runCommand(revealMessage, {
    actor: testActor(role),
    requestId: randomUUID(),
    connection: test.handle,
    raw: { channelId, messageId: id },
  });

it('shows what only looks like a secret, audited by channel and message', { tags: 'long' }, async () => {
  for (const shape of NAMED) {
    const payload = shape('apiKey', MARK);
    const message = await heard('orders', payload);
    expect(message).toMatchObject({ masked: true, revealable: true });
    expect(message.payload).not.toContain(MARK);
    expect(await reveal(message)).toEqual({ payload, auditId: expect.any(String) });
    const { items } = await listEntries(store());
    expect(items[0]).toMatchObject({ action: 'channels.reveal', target: 'orders', outcome: 'succeeded' });
    expect(JSON.stringify(items)).not.toContain(MARK);
  }
});

it('shows no name of a key with a token, and says so beforehand', async () => {
  for (const channel of ['orders', '__keyevent@0__:expired']) {
    const message = await heard(channel, SESSION);
    expect(message).toMatchObject({ masked: true, revealable: false });
    expect(await problemOf(reveal(message))).toMatchObject({ code: 'forbidden' });
  }
});

it('is refused for other roles, other channels and messages that are not kept', async () => {
  const message = await heard('orders', `{"apiKey":"${MARK}"}`);
  const other = await heard('news', 'hello');
  for (const role of ['support', 'product', 'viewer'] as const)
    expect(await problemOf(reveal(message, role))).toMatchObject({ code: 'forbidden' });
  const wrong = { ...message, channelId: other.channelId };
  for (const gone of [wrong, { ...message, id: `${message.id}9` }, { ...message, id: 'x' }])
    expect(await problemOf(reveal(gone))).toMatchObject({ code: 'not_found' });
});
