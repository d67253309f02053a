import { createAlert } from '@/lib/alerts/commands';
import { listAlerts } from '@/lib/alerts/reads';
import { alertContracts } from '@/lib/alerts/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(alertContracts.list, listAlerts);
export const POST = commandRoute(createAlert);
