import { readGuardHistory } from '@/lib/guard/traffic/history';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(trafficContracts.history, readGuardHistory);
