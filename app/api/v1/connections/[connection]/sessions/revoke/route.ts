import { commandRoute } from '@/lib/http/routes';
import { revokeSessions } from '@/lib/sessions/revocation/commands';

export const POST = commandRoute(revokeSessions);
