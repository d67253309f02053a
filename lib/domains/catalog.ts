import 'server-only';
import { inferCatalog } from '@/lib/catalog/commands';
import { inferJob } from '@/lib/catalog/infer-job';
import { getCatalog } from '@/lib/catalog/reads';
import { catalogContracts } from '@/lib/catalog/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [readRoute(catalogContracts.get, getCatalog), commandRoute(inferCatalog)],
  jobs: [inferJob],
};
