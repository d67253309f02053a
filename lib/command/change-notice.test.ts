import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { changeNotice } from './change-notice';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

it('is heard once of another process, and not of its own', async () => {
  const notice = changeNotice('locks');
  expect(await notice.isNew(test.ctx)).toBe(false);
  await notice.send(test.ctx);
  expect(await notice.isNew(test.ctx)).toBe(false);
  // As another process stores it.
  await test.storeRedis.set('keyward:changed:locks:main', 'another');
  expect([await notice.isNew(test.ctx), await notice.isNew(test.ctx)]).toEqual([true, false]);
  expect(await changeNotice('rate-limits').isNew(test.ctx)).toBe(false);
});

it('says nothing without the store', async () => {
  const store = openStore('redis://127.0.0.1:1');
  const ctx = { ...test.ctx, store };
  await changeNotice('locks').send(ctx);
  expect(await changeNotice('locks').isNew(ctx)).toBe(false);
  store.close();
});
