// Runs as a separate process: executes queued invalidations until it is ended, like a console.
import { invalidationJob } from '@/lib/families/invalidation-job';
import { registerJob } from '@/lib/jobs/define';
import { startRunner } from '@/lib/jobs/runner';
import { store } from '@/lib/redis/store';

const main = async (): Promise<void> => {
  registerJob(invalidationJob);
  startRunner(store(), { lockMs: 5000 });
  process.stdout.write('ready\n');
};

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
