import 'server-only';
import { describeCapabilities } from '@/lib/connections/capabilities';
import { listConnections, testConnection } from '@/lib/connections/list';
import { connectionContracts } from '@/lib/connections/schema';
import { readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(connectionContracts.list, listConnections),
    readRoute(connectionContracts.test, testConnection),
    readRoute(connectionContracts.capabilities, describeCapabilities),
  ],
};
