import { readRoute } from '@/lib/http/routes';
import { listSessions } from '@/lib/sessions/reads';
import { sessionContracts } from '@/lib/sessions/schema';

export const GET = readRoute(sessionContracts.list, listSessions);
