import { readRoute } from '@/lib/http/routes';
import { readQueueSeries } from '@/lib/queues/history';
import { queueContracts } from '@/lib/queues/schema';

export const GET = readRoute(queueContracts.series, readQueueSeries);
