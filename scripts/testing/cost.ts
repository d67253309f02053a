import type { Redis } from 'ioredis';

/** The cost of some work, ms. */
export interface Cost {
  ms: number;
  /** Processor time of the server and of this process, which other work on the machine affects less than the clock. */
  server: number;
  own: number;
}

const spent = async (redis: Redis): Promise<Cost> => {
  const info = await redis.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(info)?.[1]);
  const { user, system } = process.cpuUsage();
  return {
    ms: performance.now(),
    server: 1000 * (seconds('sys') + seconds('user')),
    own: (user + system) / 1000,
  };
};

const costOf = async (redis: Redis, work: () => Promise<unknown>): Promise<Cost> => {
  const before = await spent(redis);
  await work();
  const after = await spent(redis);
  return { ms: after.ms - before.ms, server: after.server - before.server, own: after.own - before.own };
};

/** The fastest of several alternating runs of each: other work on the machine can only slow a run down. */
export const quickest = async (
  redis: Redis,
  runs: number,
  works: readonly (() => Promise<unknown>)[],
): Promise<Cost[]> => {
  const best: Cost[] = works.map(() => ({ ms: Number.POSITIVE_INFINITY, server: 0, own: 0 }));
  for (let run = 0; run < runs; run++) {
    for (const [i, work] of works.entries()) {
      const cost = await costOf(redis, work);
      if (cost.ms < best[i]!.ms) best[i] = cost;
    }
  }
  return best;
};

/** The server's own time in commands, ms; a script includes the commands it calls. */
export const serverTimeOf = async (redis: Redis, work: () => Promise<unknown>): Promise<number> => {
  const total = async (): Promise<number> => {
    let micros = 0;
    for (const [, name, usec] of (await redis.info('commandstats')).matchAll(
      /cmdstat_([^:]+):calls=\d+,usec=(\d+)/g,
    ))
      if (name !== 'info' && !/^eval/.test(name!)) micros += Number(usec);
    return micros / 1000;
  };
  const before = await total();
  await work();
  return (await total()) - before;
};

/** The peak memory of the server for data and scripts during the work, above the level before; bytes. */
export const serverMemoryOf = async (redis: Redis, work: () => Promise<unknown>): Promise<number> => {
  const used = async (): Promise<number> => {
    const info = await redis.info('memory');
    const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
    return bytes('used_memory') + bytes('used_memory_vm_eval');
  };
  const before = await used();
  let peak = before;
  let done = false;
  const watching = (async () => {
    while (!done) peak = Math.max(peak, await used());
  })();
  try {
    await work();
  } finally {
    done = true;
    await watching;
  }
  return peak - before;
};
