import 'server-only';
import { invalidate, setTtl } from '@/lib/caches/commands';
import { cacheFigures } from '@/lib/caches/figures';
import { readHitRateChange } from '@/lib/caches/hit-rates/change';
import { setSampling, takeSample } from '@/lib/caches/hit-rates/commands';
import { sampleJob } from '@/lib/caches/hit-rates/job';
import { readHitRates } from '@/lib/caches/hit-rates/reads';
import { describeSampling } from '@/lib/caches/hit-rates/sampling';
import { familyTtlContract, hitRateContracts } from '@/lib/caches/hit-rates/schema';
import { readFamilyTtl } from '@/lib/caches/hit-rates/ttl';
import { invalidationJob } from '@/lib/caches/invalidation-job';
import { previewInvalidation } from '@/lib/caches/preview';
import { recoveryOf } from '@/lib/caches/recovery';
import { restorationJob } from '@/lib/caches/restore-job';
import { cacheContracts } from '@/lib/caches/schema';
import { ttlJob } from '@/lib/caches/ttl-job';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const caches: Domain = {
  routes: [
    readRoute(cacheContracts.preview, previewInvalidation),
    commandRoute(invalidate),
    commandRoute(setTtl),
    readRoute(cacheContracts.recovery, recoveryOf),
    readRoute(hitRateContracts.hitRates, readHitRates),
    readRoute(hitRateContracts.change, readHitRateChange),
    commandRoute(takeSample),
    readRoute(hitRateContracts.sampling, describeSampling),
    commandRoute(setSampling),
    readRoute(familyTtlContract, readFamilyTtl),
  ],
  jobs: [sampleJob, invalidationJob, ttlJob, restorationJob],
  figures: [cacheFigures],
};
