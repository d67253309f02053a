import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { isBeingUpgraded } from '@/lib/upgrade/stored-version';

const POLL_MS = 50;
const MAX_WAIT_MS = 20 * SECOND;
/** Every process of the old version has noticed by then, and a proxy has asked them for `/api/ready`. */
const NOTICED_MS = 2 * SECOND;

/**
 * A change waits while another process upgrades the store. It is refused afterwards, when a proxy can repeat it at a
 * process of the new version.
 */
export const waitForUpgrade = async ({ method, signal }: Request): Promise<void> => {
  const isWaiting = () => isBeingUpgraded(store.made()?.refusal() ?? null) && !signal.aborted;
  if (method === 'GET' || method === 'HEAD' || !isWaiting()) return;
  for (const until = Date.now() + MAX_WAIT_MS; isWaiting() && Date.now() < until; ) await sleep(POLL_MS);
  if (store.made()?.refusal()) await sleep(NOTICED_MS);
};
