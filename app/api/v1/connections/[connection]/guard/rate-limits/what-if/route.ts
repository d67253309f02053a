import { readRoute } from '@/lib/http/routes';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { whatIf } from '@/lib/rate-limits/what-if';

export const GET = readRoute(rateLimitContracts.whatIf, whatIf);
