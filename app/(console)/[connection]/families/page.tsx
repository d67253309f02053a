import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { FamiliesPage } from '@/components/families/families-page';
import { FamilyTtl } from '@/components/hit-rates/family-ttl';
import { familiesQuery } from '@/components/patterns/families-query';
import { historyQueries } from '@/components/patterns/history-queries';

export const generateMetadata = titled('families.title');

const first = (connection: string) => [familiesQuery(connection), historyQueries.hitRates(connection, '1h')];

export default function Families(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <FamiliesPage FamilyFigures={FamilyTtl} />
    </Allowed>
  );
}
