import { titled } from '@/app/titled';
import { OverviewPage } from '@/components/overview/overview-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = titled('overview.title');

export default function Overview() {
  return (
    <Allowed permission="view">
      <OverviewPage />
    </Allowed>
  );
}
