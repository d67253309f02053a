import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store, store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { isBeingUpgraded } from '@/lib/upgrade/stored-version';
import { shutdown } from './shutdown';

const POLL_MS = 50;
const MAX_WAIT_MS = 20 * SECOND;
/** Every process of the old version has noticed by then, and a proxy has asked them for `/api/ready`. */
const NOTICED_MS = 3 * SECOND;

const mustWait = (own: Store | undefined): boolean => {
  const refusal = own?.refusal();
  return !!refusal && (isBeingUpgraded(refusal) || own!.refusedForMs() < NOTICED_MS);
};

/**
 * A change waits while another process upgrades the store, and a moment longer: it is refused when a proxy can repeat it
 * at a process of the new version.
 */
export const waitForUpgrade = async (request: Request): Promise<void> => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead || !mustWait(store.made())) return;
  const signal = AbortSignal.any([request.signal, shutdown().signal]);
  for (const until = Date.now() + MAX_WAIT_MS; Date.now() < until && !signal.aborted; await sleep(POLL_MS))
    if (!mustWait(store.made())) return;
};
