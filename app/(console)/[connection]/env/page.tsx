import { getTranslations } from 'next-intl/server';
import { EnvPage } from '@/components/env-vars/env-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async () => {
  const t = await getTranslations('env');
  return { title: t('title') };
};

export default function Env() {
  return (
    <Allowed permission="env:view">
      <EnvPage />
    </Allowed>
  );
}
