import { expect, it } from 'vitest';
import { parseInput } from '@/lib/command/validate';
import { testContext } from '@/scripts/testing/context';
import { WITHOUT_SCRIPTS } from '@/scripts/testing/without-scripts';
import { listMetrics } from './reads';
import { metricContracts } from './schema';
import { shownField } from './show-figure';

const MIB = 2 ** 20;

it('reads no statistics with a large value where the server has no read-only scripts', {
  tags: ['long'],
}, async () => {
  const test = await testContext({ apps: ['discours'], redisArgs: WITHOUT_SCRIPTS });
  try {
    const small = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`f${i}`, i]));
    await test.redis.hset('stats:big:daily', { ...small, big: Buffer.alloc(10 * MIB, 'x') });
    await test.redis.hset('stats:small:daily', small);
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))![1]);
    const before = await sent();
    const { items } = await listMetrics(test.ctx, parseInput(metricContracts.list, {}));
    expect((await sent()) - before).toBeLessThan(MIB / 10);
    expect(items.map(({ problem, fields }) => [problem, fields?.length])).toEqual([
      ['tooLong', undefined],
      [null, 90],
    ]);
  } finally {
    await test.close();
  }
});

it('shows the end of a long name of a field', () => {
  expect(shownField(Buffer.from(`${'visits of '.repeat(30)}page 7`))).toMatch(
    /^visits of .{65}….{19}page 7$/,
  );
});
