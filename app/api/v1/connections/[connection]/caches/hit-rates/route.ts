import { readHitRates } from '@/lib/caches/hit-rates/reads';
import { hitRateContracts } from '@/lib/caches/hit-rates/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(hitRateContracts.hitRates, readHitRates);
