import { getTranslations } from 'next-intl/server';
import { JobsPage } from '@/components/jobs/jobs-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async () => {
  const t = await getTranslations('jobs');
  return { title: t('title') };
};

export default function Jobs() {
  return (
    <Allowed permission="view">
      <JobsPage />
    </Allowed>
  );
}
