import 'server-only';
import { deleteMessageCommand } from '@/lib/conversations/deletion/delete-message';
import { listConversations } from '@/lib/conversations/list';
import { listMessages } from '@/lib/conversations/reads';
import { conversationContracts } from '@/lib/conversations/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(conversationContracts.list, listConversations),
    readRoute(conversationContracts.messages, listMessages),
    commandRoute(deleteMessageCommand),
  ],
};
