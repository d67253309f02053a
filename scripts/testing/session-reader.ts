// Runs as a separate process: repeatedly authenticates a cookie, like a console serving its requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { authenticateHeaders } from '@/lib/access/authenticate';

const main = async (): Promise<void> => {
  const headers = new Headers({ cookie: process.argv[2] ?? '' });
  for (let last = ''; ; await sleep(20)) {
    const actor = await authenticateHeaders(headers).catch(() => undefined);
    const now = actor === undefined ? 'unknown' : (actor?.role ?? 'nobody');
    if (now !== last) process.stdout.write(`${now}\n`);
    last = now;
  }
};

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
