import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ConversationsPage } from '@/components/conversations/conversation-list';

export const generateMetadata = titled('conversations.title');

export default function Conversations() {
  return (
    <Allowed permission="keys:view">
      <ConversationsPage />
    </Allowed>
  );
}
