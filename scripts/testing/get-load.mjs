// Runs as a separate process: reads keys at a steady rate, regardless of the response times. For each input line it
// prints the latencies since the previous line, as JSON: { n, p50, p99 } in ms.
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';

const [, , url = '', perSecond = '5000', keys = '100000'] = process.argv;
const TICK_MS = 1;

const redis = new Redis(url);
await redis.ping();
let took = [];
let sent = 0;
const started = performance.now();

setInterval(() => {
  const due = Math.floor(((performance.now() - started) * Number(perSecond)) / 1000);
  for (; sent < due; sent++) {
    // Measured from when the read was due, not from when this process sent it.
    const at = started + (sent * 1000) / Number(perSecond);
    const key = `author:id:${1 + ((sent * 7919) % Number(keys))}`;
    redis.get(key).then(
      () => took.push(performance.now() - at),
      () => undefined,
    );
  }
}, TICK_MS);

createInterface(process.stdin).on('line', () => {
  const sorted = took.sort((a, b) => a - b);
  took = [];
  const at = (share) => sorted[Math.floor(sorted.length * share)] ?? 0;
  process.stdout.write(`${JSON.stringify({ n: sorted.length, p50: at(0.5), p99: at(0.99) })}\n`);
});
process.stdin.on('end', () => process.exit(0));
