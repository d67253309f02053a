import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { AuditPage } from '@/components/audit/audit-page';
import { auditContracts } from '@/lib/audit/schema';

export const generateMetadata = titled('audit.title');

const first = () => [firstPage(auditContracts.list, undefined)];

export default function Audit(page: PageProps) {
  return (
    <Allowed permission="audit:view" first={first} {...page}>
      <AuditPage />
    </Allowed>
  );
}
