import { expect, it } from 'vitest';
import { ahead } from './ahead';

const log: string[] = [];

async function* count(to: number, fail = false): AsyncGenerator<number> {
  try {
    for (let i = 1; i <= to; i++) {
      log.push(`made ${i}`);
      yield i;
    }
    if (fail) throw new Error('broken');
  } finally {
    log.push('ended');
  }
}

it('gives everything in its order, one ahead', async () => {
  log.length = 0;
  for await (const i of ahead(count(3))) log.push(`took ${i}`);
  expect(log).toEqual(['made 1', 'made 2', 'took 1', 'made 3', 'took 2', 'ended', 'took 3']);
});

it('ends the source when somebody stops early', async () => {
  log.length = 0;
  for await (const i of ahead(count(9))) if (i === 2) break;
  expect(log).toEqual(['made 1', 'made 2', 'made 3', 'ended']);
});

it('throws what the source throws, after what came before it', async () => {
  const taken: number[] = [];
  const take = async () => {
    for await (const i of ahead(count(2, true))) taken.push(i);
  };
  await expect(take()).rejects.toThrow('broken');
  expect(taken).toEqual([1, 2]);
});
