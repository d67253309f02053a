import 'server-only';
import { inferCatalog } from '@/lib/catalogs/commands';
import { inferJob } from '@/lib/catalogs/infer-job';
import { getCatalog } from '@/lib/catalogs/reads';
import { catalogContracts } from '@/lib/catalogs/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const catalogs: Domain = {
  routes: [readRoute(catalogContracts.get, getCatalog), commandRoute(inferCatalog)],
  jobs: [inferJob],
};
