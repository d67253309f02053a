import { getTranslations } from 'next-intl/server';
import { Allowed } from '@/components/patterns/allowed';
import { SessionsPage } from '@/components/sessions/sessions-page';

export const generateMetadata = async () => {
  const t = await getTranslations('sessions');
  return { title: t('title') };
};

export default function Sessions() {
  return (
    <Allowed permission="sessions:view">
      <SessionsPage />
    </Allowed>
  );
}
