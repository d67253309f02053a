import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { ConversationsPage } from '@/components/conversations/conversation-list';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { conversationContracts } from '@/lib/conversations/schema';

export const generateMetadata = titled('conversations.title');

export default consolePage('keys:view', <ConversationsPage />, (connection) => [
  entityKindsQuery(connection),
  firstPage(conversationContracts.list, connection),
]);
