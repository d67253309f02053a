import { getTranslations } from 'next-intl/server';
import { FlagsPage } from '@/components/flags/flags-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async () => {
  const t = await getTranslations('flags');
  return { title: t('title') };
};

export default function Flags() {
  return (
    <Allowed permission="flags:view">
      <FlagsPage />
    </Allowed>
  );
}
