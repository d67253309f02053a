import { getTranslations } from 'next-intl/server';
import { CachesPage } from '@/components/caches/caches-page';
import { FamilyTtl } from '@/components/hit-rates/family-ttl';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = async () => {
  const t = await getTranslations('caches');
  return { title: t('title') };
};

export default function Caches() {
  return (
    <Allowed permission="view">
      <CachesPage FamilyFigures={FamilyTtl} />
    </Allowed>
  );
}
