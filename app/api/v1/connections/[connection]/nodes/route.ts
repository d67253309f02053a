import { readRoute } from '@/lib/http/routes';
import { listNodes } from '@/lib/nodes/reads';
import { nodeContracts } from '@/lib/nodes/schema';

export const GET = readRoute(nodeContracts.list, listNodes);
