import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemActor } from '@/lib/actor';
import { auditKeys } from '@/lib/audit/chain';
import { appendEvent } from '@/lib/audit/log';
import { limitAudit } from '@/lib/audit/retention';
import { writeWatch } from '@/lib/audit/watch-record';
import { newId } from '@/lib/ids';
import { store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { type TestContext, testContext } from './testing/context';
import { runScript } from './testing/run-script';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

const verify = async (...args: string[]) => {
  const { KEYWARD_STORE_URL = '', KEYWARD_SECRET_KEY = '' } = process.env;
  const own = { KEYWARD_STORE_URL, KEYWARD_SECRET_KEY };
  const { status, output } = await runScript('audit-verify.mjs', args, own);
  return { status, output: output.trim() };
};

const write = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++)
    await appendEvent(store(), {
      id: newId(),
      actor: systemActor(),
      action: 'test.write',
      connection: null,
      target: null,
      reason: null,
      input: null,
      requestId: null,
      outcome: 'succeeded',
    });
};
const headNow = async (): Promise<string> => {
  const { seq, digest } = await test.storeRedis.hgetall(auditKeys.head);
  return `${seq}:${digest}`;
};

it('tells a log that holds a noted head from one that was cut, and from one that forgot it', {
  tags: 'long',
}, async () => {
  await write(4);
  const noted = await headNow();
  await write(2);
  expect(await verify('--head', noted)).toEqual({
    status: 0,
    output: `Intact: 6 records. Record 4 matches the given head. The head is now ${await headNow()}`,
  });
  expect(await verify()).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^Intact: 6 records\. The head/),
  });

  const [before, cut] = [await test.storeRedis.hgetall(auditKeys.head), await headNow()];
  await write(3);
  const gone = await headNow();
  const rows = await test.storeRedis.xrevrange(auditKeys.stream, '+', '-', 'COUNT', 3);
  await test.storeRedis.xdel(auditKeys.stream, ...rows.map(([id]) => id));
  await test.storeRedis.hset(auditKeys.head, before);
  expect(await verify('--head', cut)).toMatchObject({ status: 0 });
  expect(await verify('--head', gone)).toMatchObject({
    status: 1,
    output: expect.stringMatching(/^BROKEN after 6 records: the newest entries were removed\./),
  });

  await writeWatch(store(), 'alarm', { since: 1, problem: 'the head went back' });
  expect(await verify('--head', cut)).toMatchObject({
    status: 1,
    output: expect.stringContaining('the head went back.'),
  });
  await writeWatch(store(), 'alarm', null);

  await limitAudit(store(), Date.now() + 31 * DAY, 1);
  expect(await verify('--head', noted)).toMatchObject({
    status: 1,
    output: expect.stringContaining('retention deleted record 4: use a newer head.'),
  });
});

it('says what is wrong with what it is given', { tags: ['long'] }, async () => {
  expect(await verify('--head', '7')).toEqual({
    status: 2,
    output: '--head: expected <number>:<digest>, as the console logs it each hour.',
  });
  expect((await verify('--tail', '7')).output).toContain("Unknown option '--tail'");
});
