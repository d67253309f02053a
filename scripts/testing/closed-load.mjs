// Runs as a separate process: reads keys as fast as answers arrive, with one call in flight per connection. For each
// input line it prints the reads since the previous line, how many keys were missing, and the elapsed time, as JSON: {
// n, missed, ms }.
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';

const [, , url = '', connections = '32', keys = '50000'] = process.argv;

let [n, missed, since, next] = [0, 0, performance.now(), 0];

const go = async (redis) => {
  for (;;) {
    const value = await redis.get(`author:id:${(next++ * 7919) % Number(keys)}`);
    n += 1;
    if (value === null) missed += 1;
  }
};

for (let i = 0; i < Number(connections); i++) go(new Redis(url)).catch(() => process.exit(1));

createInterface(process.stdin).on('line', () => {
  const now = performance.now();
  process.stdout.write(`${JSON.stringify({ n, missed, ms: now - since })}\n`);
  [n, missed, since] = [0, 0, now];
});
process.stdin.on('end', () => process.exit(0));
