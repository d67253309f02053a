import { readRoute } from '@/lib/http/routes';
import { readPerson } from '@/lib/sessions/person/person';
import { personContracts } from '@/lib/sessions/person/schema';

export const GET = readRoute(personContracts.user, readPerson);
