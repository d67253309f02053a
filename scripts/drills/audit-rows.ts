import { systemActor } from '@/lib/actor';
import { appendIntent } from '@/lib/audit/log';
import { forgetEnv } from '@/lib/configuration';
import { newId } from '@/lib/ids';
import { openStore } from '@/lib/redis/store';
import type { PrivateConsole } from '../testing/private-console';

const BATCH = 2000;

/** Writes rows with the console's own code: over HTTP it would take half an hour. */
export const fillLog = async ({ environment, store }: PrivateConsole, rows: number): Promise<void> => {
  const names = ['KEYWARD_SECRET_KEY', 'NEXTAUTH_SECRET', 'KEYWARD_CONFIG', 'KEYWARD_STORE_URL'];
  for (const name of names) process.env[name] = environment[name];
  forgetEnv();
  const own = openStore(store.url);
  const actor = systemActor('a drill');
  for (let from = 0; from < rows; from += BATCH)
    await Promise.all(
      Array.from({ length: BATCH }, (_, i) =>
        appendIntent(own, {
          id: newId(),
          actor,
          action: 'test.write',
          connection: null,
          target: `entry ${from + i}`,
          reason: null,
          input: null,
          requestId: null,
        }),
      ),
    );
  own.close();
  for (const name of names) delete process.env[name];
  forgetEnv();
};
