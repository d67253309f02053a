import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { writeLimits } from './limits';
import { live } from './live';
import { seed } from './seed';

/**
 * `--url redis://… [--seed 1] [--tokens-file path] [--limits-dir folder] [--seed-only]`: seeds an empty Redis, then
 * acts as the applications do.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'tokens-file': { type: 'string' },
      'limits-dir': { type: 'string' },
      'seed-only': { type: 'boolean', default: false },
    },
  });
  if (!values.url) throw new Error('--url redis://… names the Redis to write into.');
  const redis = new Redis(values.url, {
    connectionName: 'demo-traffic',
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  });
  // Failures are reported to the sender of the command; the client keeps reconnecting.
  redis.on('error', () => {});
  const tokensFile = values['tokens-file'];
  const limitsDir = values['limits-dir'];
  const world = await seed(redis, {
    seed: Number(values.seed),
    levels: limitsDir !== undefined,
    ...(tokensFile && { tokensFile }),
  });
  if (limitsDir !== undefined) writeLimits(limitsDir, world.projects);
  console.log('seeded');
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  if (!values['seed-only']) {
    await live(redis, world, ending.signal, (message) =>
      console.log(message ?? 'The application Redis is back.'),
    );
  }
  redis.disconnect();
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
