import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { QueuesPage } from '@/components/queues/queues-page';

export const generateMetadata = titled('queues.title');

export default function Queues() {
  return (
    <Allowed permission="live:view">
      <QueuesPage />
    </Allowed>
  );
}
