import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { GuardPage } from '@/components/guard/guard-page';
import { trafficQueries } from '@/components/guard/traffic-queries';
import { RateLimits, RefusedPanel } from '@/components/rate-limits/tabs-on-demand';

export const generateMetadata = titled('guard.title');

export default consolePage(
  'guard:view',
  <GuardPage limits={<RateLimits />} refused={<RefusedPanel />} />,
  (connection) => [trafficQueries.top(connection, 'currentPeriod', 50)],
);
