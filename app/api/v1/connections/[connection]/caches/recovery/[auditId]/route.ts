import { recoveryOf } from '@/lib/caches/recovery';
import { cacheContracts } from '@/lib/caches/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(cacheContracts.recovery, recoveryOf);
