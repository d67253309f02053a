import { readRoute } from '@/lib/http/routes';
import { refusedEvents } from '@/lib/rate-limits/refused';
import { rateLimitContracts } from '@/lib/rate-limits/schema';

export const GET = readRoute(rateLimitContracts.refused, refusedEvents);
