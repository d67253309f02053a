import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { OverviewPage } from '@/components/overview/overview-page';

export const generateMetadata = titled('overview.title');

export default function Overview() {
  return (
    <Allowed permission="view">
      <OverviewPage />
    </Allowed>
  );
}
