import 'server-only';
import { readRoute } from '@/lib/http/routes';
import { readWalks } from '@/lib/walk/costs';
import { walkContracts } from '@/lib/walk/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [readRoute(walkContracts.get, readWalks)],
};
