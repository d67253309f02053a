import { listConversations } from '@/lib/entities/conversation/list';
import { entityContracts } from '@/lib/entities/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(entityContracts.conversations, listConversations);
