import { commandRoute } from '@/lib/http/routes';
import { repairSessions } from '@/lib/sessions/repair/commands';

export const POST = commandRoute(repairSessions);
