import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { RoomsPage } from '@/components/conversations/rooms-page';

export const generateMetadata = titled('conversations.rooms.title');

export default function Rooms() {
  return (
    <Allowed permission="keys:view">
      <RoomsPage />
    </Allowed>
  );
}
