import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { NodesPage } from '@/components/nodes/nodes-page';
import { nodeContracts } from '@/lib/nodes/schema';

export const generateMetadata = titled('nodes.title');

export default consolePage('view', <NodesPage />, (connection) => [
  firstPage(nodeContracts.list, connection),
]);
