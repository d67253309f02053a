import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { GuardPage } from '@/components/guard/guard-page';
import { RateLimits } from '@/components/rate-limits/rate-limits';
import { RefusedPanel } from '@/components/rate-limits/refused-panel';

export const generateMetadata = titled('guard.title');

export default function Guard() {
  return (
    <Allowed permission="guard:view">
      <GuardPage limits={<RateLimits />} refused={<RefusedPanel />} />
    </Allowed>
  );
}
