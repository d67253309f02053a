import { expect, it } from 'vitest';
import { testContext } from './context';

it('gives a context that reads and writes its own two servers', async () => {
  const test = await testContext({ apps: ['hawk'], role: 'support', hawk: { threshold: 5 } });
  try {
    await test.redis.set('a', '1');
    const key = Buffer.from('a');
    expect(await test.ctx.writer.compareAndSet(key, Buffer.from('1'), Buffer.from('2'))).toEqual({
      ok: true,
    });
    expect((await test.ctx.reader.getString(key))?.bytes.toString()).toBe('2');
    await test.ctx.store.use((redis) => redis.set('b', '3'));
    expect(await test.storeRedis.get('b')).toBe('3');
    expect(test.ctx.catalog.get('discours.session')).toBeUndefined();
    expect(test.ctx.connection.config.hawk.threshold).toBe(5);
    expect(test.ctx.actor.role).toBe('support');
  } finally {
    await test.close();
  }
});
