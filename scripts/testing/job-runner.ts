// Run as a process of its own: carries out invalidations of the queue until it is ended, as a console would.
import { invalidationJob } from '@/lib/caches/invalidation-job';
import { registerJob } from '@/lib/jobs/define';
import { processId, signOfLife } from '@/lib/jobs/process';
import { startRunner } from '@/lib/jobs/runner';
import { store } from '@/lib/redis/store';

const main = async (): Promise<void> => {
  registerJob(invalidationJob);
  await signOfLife(store());
  setInterval(() => void signOfLife(store()), 1000);
  startRunner(store());
  process.stdout.write(`${processId()}\n`);
};

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
