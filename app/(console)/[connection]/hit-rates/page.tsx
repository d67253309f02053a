import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { HitRatesPage } from '@/components/hit-rates/hit-rates-page';
import { familiesQuery } from '@/components/patterns/families-query';
import { historyQueries } from '@/components/patterns/history-queries';

export const generateMetadata = titled('hitRates.title');

const first = (connection: string) => [
  historyQueries.series(connection, '1h'),
  historyQueries.hitRates(connection, '1h'),
  familiesQuery(connection),
];

export default function HitRates(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <HitRatesPage />
    </Allowed>
  );
}
