import { listMessages } from '@/lib/entities/conversation/reads';
import { entityContracts } from '@/lib/entities/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(entityContracts.messages, listMessages);
