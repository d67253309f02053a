import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { NodesPage } from '@/components/nodes/nodes-page';

export const generateMetadata = titled('nodes.title');

export default function Nodes() {
  return (
    <Allowed permission="view">
      <NodesPage />
    </Allowed>
  );
}
