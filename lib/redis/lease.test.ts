import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { releaseLease, takeLease, withLease } from './lease';

const LEASE = Buffer.from('keyward:lease:test');

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

it('is held by one owner, renewed by that one, and free after', async () => {
  const { store } = test.ctx;
  expect(await takeLease(store, LEASE, 'one', 60_000)).toBe(true);
  expect(await takeLease(store, LEASE, 'two', 60_000)).toBe(false);
  expect(await takeLease(store, LEASE, 'one', 90_000)).toBe(true);
  expect(await test.storeRedis.pttl(LEASE)).toBeGreaterThan(60_000);
  await releaseLease(store, LEASE, 'two');
  expect(await test.storeRedis.get(LEASE)).toBe('one');
  await releaseLease(store, LEASE, 'one');
  expect(await takeLease(store, LEASE, 'two', 60_000)).toBe(true);
});

it('runs one work at a time, and is free after it, also where it failed', async () => {
  const { store } = test.ctx;
  const options = { ms: 60_000 };
  const inside = await withLease(store, LEASE, options, () =>
    withLease(store, LEASE, options, async () => expect.fail()),
  );
  expect(inside).toEqual({ ok: true, value: { ok: false } });
  const broken = withLease(store, LEASE, options, async () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(await withLease(store, LEASE, options, async () => 1)).toEqual({ ok: true, value: 1 });
  expect(await test.storeRedis.exists(LEASE)).toBe(0);
});

it('is renewed while the work lasts, if it is to be', async () => {
  await withLease(test.ctx.store, LEASE, { ms: 300, renewed: true }, async () => {
    await test.storeRedis.pexpire(LEASE, 200);
    await vi.waitFor(async () => expect(await test.storeRedis.pttl(LEASE)).toBeGreaterThan(200));
  });
  expect(await test.storeRedis.exists(LEASE)).toBe(0);
});
