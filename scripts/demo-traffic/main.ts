import { parseArgs } from 'node:util';
import { Cluster, Redis } from 'ioredis';
import type { Target } from './batch';
import { writeLimits } from './limits';
import { live, RATES } from './live';
import { seed } from './seed';
import { SOCIAL_RATES } from './social/live';
import { seedSocial } from './social/seed';
import { PLATFORM, SOCIAL, subscribe } from './subscribers';
import type { TrafficOptions } from './world';

type Run = (signal: AbortSignal, onTrouble: (message: string | null) => void) => Promise<void>;

/** Seeds a Redis. Returns the traffic of the applications. */
const seedInto = async (
  redis: Target,
  options: TrafficOptions,
  { social, limitsDir }: { social: boolean; limitsDir: string | undefined },
): Promise<Run> => {
  if (social) {
    const world = await seedSocial(redis, options);
    return (signal, onTrouble) => live(redis, world, SOCIAL_RATES, signal, onTrouble);
  }
  const world = await seed(redis, options);
  if (limitsDir !== undefined) writeLimits(limitsDir, world.projects);
  return (signal, onTrouble) => live(redis, world, RATES, signal, onTrouble);
};

const retryStrategy = (times: number): number => Math.min(100 * times, 1000);

const endpointOf = (address: string) => {
  const { hostname, port } = new URL(`redis://${address}`);
  return { host: hostname, port: Number(port) };
};

/** A client of a server, of the primary of `mymaster` behind Sentinels, or of a cluster. */
const clientOf = ({
  url,
  sentinels,
  cluster,
}: {
  url?: string | undefined;
  sentinels?: string | undefined;
  cluster?: string | undefined;
}): Target => {
  const named = { connectionName: 'demo-traffic', maxRetriesPerRequest: 0 };
  if (cluster)
    return new Cluster(cluster.split(',').map(endpointOf), {
      clusterRetryStrategy: retryStrategy,
      redisOptions: named,
    });
  const options = { ...named, retryStrategy };
  if (sentinels) {
    const watched = { name: 'mymaster', sentinels: sentinels.split(',').map(endpointOf) };
    // The old primary continues to accept commands until it becomes a replica.
    return new Redis({
      ...options,
      ...watched,
      sentinelRetryStrategy: retryStrategy,
      failoverDetector: true,
    });
  }
  if (!url) throw new Error('--url redis://… names the Redis to write into.');
  return new Redis(url, options);
};

/**
 * `--url redis://…`, `--sentinels host:port,…` or `--cluster host:port,… [--social] [--seed 1] [--tokens-file path]
 * [--limits-dir folder] [--seed-only]`: seeds an empty Redis, then acts like the publishing platform and the error
 * collector, or like the social and the short-video application.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      sentinels: { type: 'string' },
      cluster: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'tokens-file': { type: 'string' },
      'limits-dir': { type: 'string' },
      social: { type: 'boolean', default: false },
      'seed-only': { type: 'boolean', default: false },
    },
  });
  const redis = clientOf(values);
  // Failures are reported to the sender of the command; the client keeps reconnecting.
  redis.on('error', () => {});
  const tokensFile = values['tokens-file'];
  const limitsDir = values['limits-dir'];
  const options = {
    seed: Number(values.seed),
    levels: limitsDir !== undefined,
    ...(tokensFile && { tokensFile }),
  };
  const run = await seedInto(redis, options, { social: values.social, limitsDir });
  console.log('seeded');
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  if (!values['seed-only']) {
    const listener = await subscribe(redis, values.social ? SOCIAL : PLATFORM);
    await run(ending.signal, (message) => console.log(message ?? 'The application Redis is back.'));
    listener.disconnect();
  }
  redis.disconnect();
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
