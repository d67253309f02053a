import { readRoute } from '@/lib/http/routes';
import { serverContracts } from '@/lib/server/schema';
import { listSlowLog } from '@/lib/server/slow-log-list';

export const GET = readRoute(serverContracts.slowLog, listSlowLog);
