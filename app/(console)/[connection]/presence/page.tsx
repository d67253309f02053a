import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { PresencePage } from '@/components/presence/presence-page';

export const generateMetadata = titled('presence.title');

export default function Presence() {
  return (
    <Allowed permission="keys:view">
      <PresencePage />
    </Allowed>
  );
}
