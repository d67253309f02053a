import { readRoute } from '@/lib/http/routes';
import { readPerson } from '@/lib/sessions/person';
import { sessionContracts } from '@/lib/sessions/schema';

export const GET = readRoute(sessionContracts.user, readPerson);
