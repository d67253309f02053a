import { readRoute } from '@/lib/http/routes';
import { topViews } from '@/lib/views/reads';
import { viewContracts } from '@/lib/views/schema';

export const GET = readRoute(viewContracts.top, topViews);
