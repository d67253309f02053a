import { listCounters } from '@/lib/counters/reads';
import { counterContracts } from '@/lib/counters/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(counterContracts.list, listCounters);
