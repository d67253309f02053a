import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { QueuesPage } from '@/components/queues/queues-page';
import { queueContracts } from '@/lib/queues/schema';

export const generateMetadata = titled('queues.title');

export default consolePage('live:view', <QueuesPage />, (connection) => [
  firstPage(queueContracts.list, connection),
]);
