import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReadContext } from '@/lib/command/context';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { findKey, keyIdOf, keyOfId, rememberLongKeys } from './key-ids';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjo0MiwibiI6MX0.Zq7pXv2mLr9tKw1Zq7pXv2mLr9tKw1Zq7pXv2mLr9t';
const SESSION = Buffer.from(`session:42:${TOKEN}`);
const elsewhere = (ctx: ReadContext): ReadContext => ({
  ...ctx,
  connection: { ...ctx.connection, config: { ...ctx.connection.config, id: 'other' } },
});

describe('an id', () => {
  it('is the key itself where it holds no secret, and gives any bytes back', async () => {
    expect(keyIdOf(test.ctx, Buffer.from('author:id:1'))).toBe('YXV0aG9yOmlkOjE');
    for (const key of [
      SESSION,
      Buffer.alloc(0),
      Buffer.from([0xff, 0, 0x2a, 0x5b]),
      Buffer.alloc(4096, 'k'),
    ]) {
      const id = keyIdOf(test.ctx, key);
      expect(keyOfId(test.ctx, id)).toEqual(key);
      expect(await findKey(test.ctx, id)).toEqual(key);
      expect(keyIdOf(test.ctx, key), 'a link stays the same').toBe(id);
    }
  });

  it('reveals no part of a secret, in no encoding', () => {
    const id = keyIdOf(test.ctx, SESSION);
    expect(id).toMatch(/^s\.[\w-]+$/);
    const sealed = Buffer.from(id.slice(2), 'base64url');
    const forms = [id, sealed.toString('latin1'), sealed.toString('hex')];
    for (let from = 0; from + 4 <= TOKEN.length; from++) {
      const run = TOKEN.slice(from, from + 4);
      for (const part of [run, Buffer.from(run).toString('hex')])
        for (const form of forms) expect(form).not.toContain(part);
    }
    for (const shift of [0, 1, 2])
      expect(id).not.toContain(
        Buffer.from(TOKEN)
          .subarray(shift, shift + 12)
          .toString('base64url'),
      );
    expect(keyIdOf(elsewhere(test.ctx), SESSION)).not.toBe(id);
  });

  it('that was altered, or belongs to another connection, is refused', async () => {
    const id = keyIdOf(test.ctx, SESSION);
    const flipped = Buffer.from(id.slice(2), 'base64url');
    flipped[40]! ^= 1;
    const wrong = [
      `s.${flipped.toString('base64url')}`,
      id.slice(0, -4),
      's.',
      's.AAAA',
      'h.short',
      'a',
      '***',
    ];
    for (const bad of [...wrong, keyIdOf(elsewhere(test.ctx), SESSION)]) {
      expect(keyOfId(test.ctx, bad)).toBeNull();
      await expect(findKey(test.ctx, bad)).rejects.toMatchObject({ code: 'bad_input', status: 400 });
    }
  });
});

describe('the handle of a long name', () => {
  const long = Buffer.from(`session:42:${'Ab1'.repeat(20_000)}`);

  it('works once the name is stored, only on its connection, and never shows it', async () => {
    const id = keyIdOf(test.ctx, long);
    expect(id).toMatch(/^h\.[\w-]{43}$/);
    await expect(findKey(test.ctx, id)).rejects.toMatchObject({ code: 'expired', status: 410 });
    await rememberLongKeys(test.ctx, [long, SESSION]);
    expect(await findKey(test.ctx, id)).toEqual(long);
    expect(keyOfId(test.ctx, id)).toBeNull();
    await expect(findKey(elsewhere(test.ctx), id)).rejects.toMatchObject({ code: 'expired' });
    const [stored, ...others] = await test.storeRedis.keysBuffer('keyward:long-key:*');
    expect(others).toEqual([]);
    expect((await test.storeRedis.getBuffer(stored!))!.includes('Ab1Ab1')).toBe(false);
    expect(await test.storeRedis.pttl(stored!)).toBeGreaterThan(3_600_000);
  });

  it('is kept for the latest thousand names, and not for a huge one', { tags: 'long' }, async () => {
    const nameOf = (i: number) => Buffer.concat([Buffer.from(`${i}:`), long.subarray(0, 4200)]);
    for (let page = 0; page < 3; page++)
      await rememberLongKeys(
        { ...test.ctx, now: () => page },
        Array.from({ length: 400 }, (_, i) => nameOf(page * 400 + i)),
      );
    expect(await test.storeRedis.dbsize()).toBe(1001);
    await expect(findKey(test.ctx, keyIdOf(test.ctx, nameOf(1)))).rejects.toMatchObject({ code: 'expired' });
    expect(await findKey(test.ctx, keyIdOf(test.ctx, nameOf(1199)))).toEqual(nameOf(1199));
    const huge = Buffer.alloc(200_000, 'x');
    await rememberLongKeys(test.ctx, [huge]);
    await expect(findKey(test.ctx, keyIdOf(test.ctx, huge))).rejects.toMatchObject({ code: 'expired' });
  });
});
