import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemActor } from '@/lib/actor';
import { newId } from '@/lib/ids';
import { closeStore, openStore, type Store, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { auditKeys } from './chain';
import { appendIntent } from './log';
import { verifyChain } from './verify';

let test: TestContext;
const opened: Store[] = [];
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  for (const each of opened.splice(0)) each.close();
  closeStore();
  await test.empty();
});
afterAll(async () => {
  for (const each of opened) each.close();
  await test.close();
});

/** What another process has: its own client, chain and memory. */
const another = (): Store => {
  const made = openStore(process.env.KEYWARD_STORE_URL!);
  opened.push(made);
  return made;
};

const write = async (count: number, into = store()): Promise<void> => {
  for (let i = 0; i < count; i++)
    await appendIntent(into, {
      ...{ id: newId(), actor: systemActor('somebody'), action: 'test.write', connection: null },
      ...{ target: null, reason: null, input: null, requestId: null },
    });
};

/** What an intruder does: writes down the head, lets `count` entries come, removes them and puts the head back. */
const cutTail = async (count: number, into = store()): Promise<void> => {
  const head = await test.storeRedis.hgetall(auditKeys.head);
  await write(count, into);
  const rows = await test.storeRedis.xrevrange(auditKeys.stream, '+', '-', 'COUNT', count);
  await test.storeRedis.xdel(auditKeys.stream, ...rows.map(([id]) => id));
  await test.storeRedis.hset(auditKeys.head, head);
};

it('a tail that was cut together with its head is found, however many entries followed', async () => {
  await write(4);
  await cutTail(3);
  expect(await verifyChain(store())).toMatchObject({ ok: false });
  for (const follow of [2, 1, 1, 10]) {
    await write(follow);
    expect(await verifyChain(store())).toMatchObject({
      ok: false,
      problem: expect.stringContaining('cut off'),
    });
  }
});

it('a tail that was cut is found by a process that saw it, when others wrote what followed', async () => {
  await write(4);
  await cutTail(3);
  await write(10, another());
  expect(await verifyChain(store())).toMatchObject({
    ok: false,
    problem: expect.stringContaining('cut off'),
  });
});
