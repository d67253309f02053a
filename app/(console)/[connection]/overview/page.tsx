import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { SamplingQuestion } from '@/components/hit-rates/sampling-question';
import { OverviewPage } from '@/components/overview/overview-page';

export const generateMetadata = titled('overview.title');

export default function Overview() {
  return (
    <Allowed permission="view">
      <OverviewPage notice={<SamplingQuestion />} />
    </Allowed>
  );
}
