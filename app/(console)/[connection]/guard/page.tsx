import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { GuardPage } from '@/components/guard/guard-page';
import { trafficQueries } from '@/components/guard/traffic-queries';
import { RateLimits, RefusedPanel } from '@/components/rate-limits/tabs-on-demand';

export const generateMetadata = titled('guard.title');

const first = (connection: string) => [trafficQueries.top(connection, 'currentPeriod', 50)];

export default function Guard(page: PageProps) {
  return (
    <Allowed permission="guard:view" first={first} {...page}>
      <GuardPage limits={<RateLimits />} refused={<RefusedPanel />} />
    </Allowed>
  );
}
