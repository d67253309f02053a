import { titled } from '@/app/titled';
import { AuditPage } from '@/components/audit/audit-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = titled('audit.title');

export default function Audit() {
  return (
    <Allowed permission="audit:view">
      <AuditPage />
    </Allowed>
  );
}
