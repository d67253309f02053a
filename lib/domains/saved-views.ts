import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { createView, deleteSavedView } from '@/lib/saved-views/commands';
import { listViews } from '@/lib/saved-views/reads';
import { savedViewContracts } from '@/lib/saved-views/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(savedViewContracts.list, listViews),
    commandRoute(createView),
    commandRoute(deleteSavedView),
  ],
};
