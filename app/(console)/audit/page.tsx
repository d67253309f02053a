import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { AuditPage } from '@/components/audit/audit-page';
import { Notifications } from '@/components/notifications/tab-on-demand';
import { auditContracts } from '@/lib/audit/schema';

export const generateMetadata = titled('audit.title');

export default consolePage('audit:view', <AuditPage notifications={<Notifications />} />, () => [
  firstPage(auditContracts.list, undefined),
]);
