import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { GuardPage } from '@/components/guard/guard-page';
import { RateLimits, RefusedPanel } from '@/components/rate-limits/tabs-on-demand';

export const generateMetadata = titled('guard.title');

export default function Guard() {
  return (
    <Allowed permission="guard:view">
      <GuardPage limits={<RateLimits />} refused={<RefusedPanel />} />
    </Allowed>
  );
}
