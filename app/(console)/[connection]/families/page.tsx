import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { FamiliesPage } from '@/components/families/families-page';
import { FamilyTtl } from '@/components/hit-rates/family-ttl';

export const generateMetadata = titled('families.title');

export default function Families() {
  return (
    <Allowed permission="view">
      <FamiliesPage FamilyFigures={FamilyTtl} />
    </Allowed>
  );
}
