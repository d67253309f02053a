import 'server-only';
import { invalidate, setTtl } from '@/lib/families/commands';
import { cacheFigures } from '@/lib/families/figures';
import { invalidationJob } from '@/lib/families/invalidation-job';
import { listFamilies } from '@/lib/families/list';
import { previewInvalidation } from '@/lib/families/preview';
import { recoveryOf } from '@/lib/families/recovery';
import { restorationJob } from '@/lib/families/restore-job';
import { familyContracts } from '@/lib/families/schema';
import { readFamilyTtl } from '@/lib/families/ttl';
import { ttlJob } from '@/lib/families/ttl-job';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(familyContracts.list, listFamilies),
    readRoute(familyContracts.preview, previewInvalidation),
    commandRoute(invalidate),
    commandRoute(setTtl),
    readRoute(familyContracts.recovery, recoveryOf),
    readRoute(familyContracts.ttl, readFamilyTtl),
  ],
  jobs: [invalidationJob, ttlJob, restorationJob],
  figures: [cacheFigures],
};
