import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { NodesPage } from '@/components/nodes/nodes-page';
import { nodeContracts } from '@/lib/nodes/schema';

export const generateMetadata = titled('nodes.title');

const first = (connection: string) => [firstPage(nodeContracts.list, connection)];

export default function Nodes(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <NodesPage />
    </Allowed>
  );
}
