import { alertHistory } from '@/lib/alerts/history';
import { alertContracts } from '@/lib/alerts/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(alertContracts.history, alertHistory);
