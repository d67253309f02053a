import { streamRoute } from '@/lib/http/stream';
import { sessionContracts } from '@/lib/sessions/schema';
import { searchSessions } from '@/lib/sessions/search';

export const GET = streamRoute(sessionContracts.search, searchSessions);
