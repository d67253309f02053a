import { readRoute } from '@/lib/http/routes';
import { sessionContracts } from '@/lib/sessions/schema';
import { readStats } from '@/lib/sessions/stats';

export const GET = readRoute(sessionContracts.stats, readStats);
