import { Allowed } from '@/app/(console)/allowed';
import { signedInUser } from '@/app/(console)/signed-in';
import { titled } from '@/app/titled';
import { SamplingQuestion } from '@/components/hit-rates/sampling-question';
import { OverviewPage } from '@/components/overview/overview-page';
import { countPins } from '@/lib/metrics/pins';

export const generateMetadata = titled('overview.title');

export default async function Overview({ params }: { params: Promise<{ connection: string }> }) {
  const [{ id }, { connection }] = await Promise.all([signedInUser(), params]);
  return (
    <Allowed permission="view">
      <OverviewPage notice={<SamplingQuestion />} pins={await countPins(connection, id)} />
    </Allowed>
  );
}
