import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { OverviewPage } from '@/components/overview/overview-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async (): Promise<Metadata> => {
  const t = await getTranslations('overview');
  return { title: t('title') };
};

export default function Overview() {
  return (
    <Allowed permission="view">
      <OverviewPage />
    </Allowed>
  );
}
