import { getTranslations } from 'next-intl/server';
import { HitRatesPage } from '@/components/hit-rates/hit-rates-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async () => {
  const t = await getTranslations('hitRates');
  return { title: t('title') };
};

export default function HitRates() {
  return (
    <Allowed permission="view">
      <HitRatesPage />
    </Allowed>
  );
}
