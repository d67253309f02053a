import 'server-only';
import { readRoute } from '@/lib/http/routes';
import { listNodes } from '@/lib/nodes/reads';
import { nodeContracts } from '@/lib/nodes/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [readRoute(nodeContracts.list, listNodes)],
};
