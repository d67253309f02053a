import { readRoute } from '@/lib/http/routes';
import { peekQueue } from '@/lib/queues/reads';
import { queueContracts } from '@/lib/queues/schema';

export const GET = readRoute(queueContracts.peek, peekQueue);
