import 'server-only';
import { readHitRateChange } from '@/lib/hit-rates/change';
import { setSampling, takeSample } from '@/lib/hit-rates/commands';
import { sampleJob } from '@/lib/hit-rates/job';
import { readHitRates } from '@/lib/hit-rates/reads';
import { describeSampling } from '@/lib/hit-rates/sampling';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(hitRateContracts.get, readHitRates),
    readRoute(hitRateContracts.change, readHitRateChange),
    commandRoute(takeSample),
    readRoute(hitRateContracts.sampling, describeSampling),
    commandRoute(setSampling),
  ],
  jobs: [sampleJob],
};
