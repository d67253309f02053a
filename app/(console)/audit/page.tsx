import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { AuditPage } from '@/components/audit/audit-page';

export const generateMetadata = titled('audit.title');

export default function Audit() {
  return (
    <Allowed permission="audit:view">
      <AuditPage />
    </Allowed>
  );
}
