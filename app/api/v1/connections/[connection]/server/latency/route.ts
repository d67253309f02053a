import { readRoute } from '@/lib/http/routes';
import { listLatency } from '@/lib/server/latency';
import { serverContracts } from '@/lib/server/schema';

export const GET = readRoute(serverContracts.latency, listLatency);
