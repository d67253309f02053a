import { setSampling } from '@/lib/caches/hit-rates/commands';
import { describeSampling } from '@/lib/caches/hit-rates/sampling';
import { hitRateContracts } from '@/lib/caches/hit-rates/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(hitRateContracts.sampling, describeSampling);
export const PUT = commandRoute(setSampling);
