import { aftermathOf } from '@/lib/caches/reads';
import { cacheContracts } from '@/lib/caches/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(cacheContracts.aftermath, aftermathOf);
