import { titled } from '@/app/titled';
import { CachesPage } from '@/components/caches/caches-page';
import { FamilyTtl } from '@/components/hit-rates/family-ttl';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = titled('caches.title');

export default function Caches() {
  return (
    <Allowed permission="view">
      <CachesPage FamilyFigures={FamilyTtl} />
    </Allowed>
  );
}
