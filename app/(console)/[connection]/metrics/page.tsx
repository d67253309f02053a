import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { MetricsPage } from '@/components/metrics/metrics-page';

export const generateMetadata = titled('metrics.title');

export default function Metrics() {
  return (
    <Allowed permission="view">
      <MetricsPage />
    </Allowed>
  );
}
