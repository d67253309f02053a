// Runs as a separate process: appends to the audit log concurrently, as fast as possible.
import { systemActor } from '@/lib/actor';
import { appendIntent } from '@/lib/audit/log';
import { newId } from '@/lib/ids';
import { store } from '@/lib/redis/store';

const count = Number(process.argv[2]);

const main = async (): Promise<void> => {
  const actor = systemActor(`writer ${process.pid}`);
  const writes = Array.from({ length: count }, (_, i) =>
    appendIntent(store(), {
      id: newId(),
      actor,
      action: 'test.write',
      connection: null,
      target: `entry ${i}`,
      reason: null,
      input: null,
      requestId: null,
    }),
  );
  await Promise.all(writes);
  process.exit(0);
};

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
