import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { releaseLock } from '@/lib/locks/commands';
import { listLocks } from '@/lib/locks/reads';
import { lockContracts } from '@/lib/locks/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [readRoute(lockContracts.list, listLocks), commandRoute(releaseLock)],
};
