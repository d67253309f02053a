// node publish-load.mjs URL CHANNEL PER_SECOND SECONDS: publishes notifications at a steady rate, and prints how many.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

const [url, channel, perSecond, seconds] = process.argv.slice(2);
const redis = new Redis(url);
const total = Number(perSecond) * Number(seconds);
const payloadOf = (i) =>
  JSON.stringify({
    type: 'load',
    user_id: i,
    entity_type: 'shout',
    entity_id: i % 1000,
    action: 'updated',
    data: { title: `Publication ${i}`, author: 'Ada' },
    timestamp: 1640995200,
  });
const began = performance.now();
for (let sent = 0; sent < total; ) {
  const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * Number(perSecond)));
  if (due > sent) {
    const pipeline = redis.pipeline();
    for (; sent < due; sent++) pipeline.publish(channel, payloadOf(sent));
    await pipeline.exec();
  }
  await sleep(5);
}
console.log(JSON.stringify({ published: total, seconds: (performance.now() - began) / 1000 }));
redis.disconnect();
