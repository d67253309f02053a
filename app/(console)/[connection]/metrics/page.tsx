import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { MetricsPage } from '@/components/metrics/metrics-page';
import { metricQueries } from '@/components/metrics/queries';

export const generateMetadata = titled('metrics.title');

const first = (connection: string) => [metricQueries.list(connection, '')];

export default function Metrics(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <MetricsPage />
    </Allowed>
  );
}
