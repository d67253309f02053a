import { commandRoute } from '@/lib/http/routes';
import { revokeSessions } from '@/lib/sessions/commands';

export const POST = commandRoute(revokeSessions);
