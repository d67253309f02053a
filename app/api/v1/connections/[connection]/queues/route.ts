import { readRoute } from '@/lib/http/routes';
import { listQueues } from '@/lib/queues/reads';
import { queueContracts } from '@/lib/queues/schema';

export const GET = readRoute(queueContracts.list, listQueues);
