import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { SessionsPage } from '@/components/sessions/sessions-page';

export const generateMetadata = titled('sessions.title');

export default function Sessions() {
  return (
    <Allowed permission="sessions:view">
      <SessionsPage />
    </Allowed>
  );
}
