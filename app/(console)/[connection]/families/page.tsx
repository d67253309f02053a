import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { FamiliesPage } from '@/components/families/families-page';
import { FamilyTtl } from '@/components/hit-rates/family-ttl';
import { familiesQuery } from '@/components/patterns/families-query';
import { historyQueries } from '@/components/patterns/history-queries';

export const generateMetadata = titled('families.title');

export default consolePage('view', <FamiliesPage FamilyFigures={FamilyTtl} />, (connection) => [
  familiesQuery(connection),
  historyQueries.hitRates(connection, '1h'),
]);
