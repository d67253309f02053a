import { readRoute } from '@/lib/http/routes';
import { listWindows } from '@/lib/rate-limits/reads';
import { rateLimitContracts } from '@/lib/rate-limits/schema';

export const GET = readRoute(rateLimitContracts.list, listWindows);
