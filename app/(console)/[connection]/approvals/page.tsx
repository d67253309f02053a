import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { ApprovalsPage } from '@/components/approvals/approvals-page';
import { approvalContracts } from '@/lib/approvals/schema';

export const generateMetadata = titled('approvals.title');

export default consolePage('live:view', <ApprovalsPage />, (connection) => [
  firstPage(approvalContracts.list, connection),
]);
