import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { HitRatesPage } from '@/components/hit-rates/hit-rates-page';
import { familiesQuery } from '@/components/patterns/families-query';
import { historyQueries } from '@/components/patterns/history-queries';

export const generateMetadata = titled('hitRates.title');

export default consolePage('view', <HitRatesPage />, (connection) => [
  historyQueries.series(connection, '1h'),
  historyQueries.hitRates(connection, '1h'),
  familiesQuery(connection),
]);
