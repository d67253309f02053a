import { readHitRateChange } from '@/lib/caches/hit-rates/change';
import { hitRateContracts } from '@/lib/caches/hit-rates/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(hitRateContracts.change, readHitRateChange);
