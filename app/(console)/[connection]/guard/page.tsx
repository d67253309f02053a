import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { GuardPage } from '@/components/guard/guard-page';
import { RefusedPanel } from '@/components/rate-limits/refused-events';
import { RateLimits } from '@/components/rate-limits/window-list';

export const generateMetadata = titled('guard.title');

export default function Guard() {
  return (
    <Allowed permission="guard:view">
      <GuardPage limits={<RateLimits />} refused={<RefusedPanel />} />
    </Allowed>
  );
}
