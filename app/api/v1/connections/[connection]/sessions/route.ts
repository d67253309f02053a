import { readRoute } from '@/lib/http/routes';
import { sessionContracts } from '@/lib/sessions/schema';
import { listSessions } from '@/lib/sessions/search';

export const GET = readRoute(sessionContracts.list, listSessions);
