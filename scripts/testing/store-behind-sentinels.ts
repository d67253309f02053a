import { forgetEnv } from '@/lib/configuration';
import { closeStore } from '@/lib/redis/store';
import type { Sentinels } from '../sentinels.mjs';

export const storeVariables = ({ name, nodes }: Sentinels): Record<string, string> => ({
  KEYWARD_STORE_URL: `redis://${name}`,
  KEYWARD_STORE_SENTINEL_NODES: nodes.join(','),
});

/** Makes it the store of this process. */
export const storeBehindSentinels = (watched: Sentinels): void => {
  closeStore();
  Object.assign(process.env, storeVariables(watched));
  forgetEnv();
};
