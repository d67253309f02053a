import 'server-only';
import { checkEntities } from '@/lib/entities/check-command';
import { checkJob } from '@/lib/entities/check-job';
import { getEntity } from '@/lib/entities/get';
import { listKinds } from '@/lib/entities/reads';
import { readRelation } from '@/lib/entities/relation';
import { entityContracts } from '@/lib/entities/schema';
import { searchEntities } from '@/lib/entities/search';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(entityContracts.kinds, listKinds),
    readRoute(entityContracts.search, searchEntities),
    readRoute(entityContracts.get, getEntity),
    readRoute(entityContracts.relation, readRelation),
    commandRoute(checkEntities),
  ],
  jobs: [checkJob],
};
