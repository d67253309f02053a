import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { MetricsPage } from '@/components/metrics/metrics-page';
import { metricQueries } from '@/components/metrics/queries';

export const generateMetadata = titled('metrics.title');

export default consolePage('view', <MetricsPage />, (connection) => [metricQueries.list(connection, '')]);
