import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { isBeingUpgraded } from '@/lib/upgrade/stored-version';
import { shutdown } from './shutdown';

const POLL_MS = 50;
const MAX_WAIT_MS = 20 * SECOND;
/** Every process of the old version has noticed by then, and a proxy has asked them for `/api/ready`. */
const NOTICED_MS = 3 * SECOND;

/**
 * A change waits while another process upgrades the store. It is refused afterwards, when a proxy can repeat it at a
 * process of the new version.
 */
export const waitForUpgrade = async (request: Request): Promise<void> => {
  const { method } = request;
  const refusal = () => store.made()?.refusal() ?? null;
  if (method === 'GET' || method === 'HEAD' || !isBeingUpgraded(refusal())) return;
  const signal = AbortSignal.any([request.signal, shutdown().signal]);
  const isWaiting = () => isBeingUpgraded(refusal()) && !signal.aborted;
  for (const until = Date.now() + MAX_WAIT_MS; isWaiting() && Date.now() < until; ) await sleep(POLL_MS);
  if (refusal()) await sleep(NOTICED_MS, undefined, { signal }).catch(() => undefined);
};
