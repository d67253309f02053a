import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ServerPage } from '@/components/server/server-page';

export const generateMetadata = titled('server.title');

export default function Server() {
  return (
    <Allowed permission="live:view">
      <ServerPage />
    </Allowed>
  );
}
