import { readRoute } from '@/lib/http/routes';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { readUser } from '@/lib/sessions/user/user';

export const GET = readRoute(sessionUserContracts.user, readUser);
