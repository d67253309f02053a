import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { CachesPage } from '@/components/caches/caches-page';
import { FamilyTtl } from '@/components/hit-rates/family-ttl';

export const generateMetadata = titled('caches.title');

export default function Caches() {
  return (
    <Allowed permission="view">
      <CachesPage FamilyFigures={FamilyTtl} />
    </Allowed>
  );
}
