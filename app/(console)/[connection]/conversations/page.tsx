import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { ConversationsPage } from '@/components/conversations/conversation-list';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { conversationContracts } from '@/lib/conversations/schema';

export const generateMetadata = titled('conversations.title');

const first = (connection: string) => [
  entityKindsQuery(connection),
  firstPage(conversationContracts.list, connection),
];

export default function Conversations(page: PageProps) {
  return (
    <Allowed permission="keys:view" first={first} {...page}>
      <ConversationsPage />
    </Allowed>
  );
}
