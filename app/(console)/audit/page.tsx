import { getTranslations } from 'next-intl/server';
import { AuditPage } from '@/components/audit/audit-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async () => {
  const t = await getTranslations('audit');
  return { title: t('title') };
};

export default function Audit() {
  return (
    <Allowed permission="audit:view">
      <AuditPage />
    </Allowed>
  );
}
