import 'server-only';
import { readRoute } from '@/lib/http/routes';
import { topViews } from '@/lib/views/reads';
import { viewContracts } from '@/lib/views/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [readRoute(viewContracts.top, topViews)],
};
