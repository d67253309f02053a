import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { QueuesPage } from '@/components/queues/queues-page';
import { queueContracts } from '@/lib/queues/schema';

export const generateMetadata = titled('queues.title');

const first = (connection: string) => [firstPage(queueContracts.list, connection)];

export default function Queues(page: PageProps) {
  return (
    <Allowed permission="live:view" first={first} {...page}>
      <QueuesPage />
    </Allowed>
  );
}
