import { commandRoute } from '@/lib/http/routes';
import { repairSessions } from '@/lib/sessions/commands';

export const POST = commandRoute(repairSessions);
