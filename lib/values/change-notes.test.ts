import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { openStore } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { noteChanges, readChangeNotes } from './change-notes';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

it('stores who, when and why, and deletes notes of deleted variables', async () => {
  const key = consoleFamilies.flagNote.key({ connection: 'main' });
  await test.storeRedis.hset(key, 'BROKEN', '{', 'GONE', '{}');
  const ctx = test.as({ reason: 'why', now: () => 5000 });
  await noteChanges(ctx, [
    { name: 'A', etag: 'e1' },
    { name: 'GONE', etag: null },
  ]);
  const note = { at: 5000, by: 'admin@example.org', reason: 'why', etag: 'e1' };
  expect(await readChangeNotes(test.ctx, ['A', 'BROKEN', 'GONE', 'NONE'])).toEqual([note, null, null, null]);
  expect(await test.storeRedis.hexists(key, 'GONE')).toBe(0);
});

it('is silent without the store', async () => {
  const store = openStore('redis://127.0.0.1:1');
  try {
    const ctx = { ...test.ctx, store };
    await noteChanges(ctx, [{ name: 'A', etag: 'e' }]);
    expect(await readChangeNotes(ctx, ['A'])).toEqual([null]);
  } finally {
    store.close();
  }
});
