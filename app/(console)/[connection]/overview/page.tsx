import { Allowed } from '@/app/(console)/allowed';
import { signedInUser } from '@/app/(console)/signed-in';
import { titled } from '@/app/titled';
import { SamplingQuestion } from '@/components/hit-rates/sampling-question';
import { OverviewPage } from '@/components/overview/overview-page';
import { countPins } from '@/lib/metrics/pins';

export const generateMetadata = titled('overview.title');

interface Props {
  params: Promise<{ connection: string }>;
}

/** Passes the number of pins, whose space is reserved while they load. */
const OverviewWithPins = async ({ params }: Props) => {
  const [{ id }, { connection }] = await Promise.all([signedInUser(), params]);
  return <OverviewPage notice={<SamplingQuestion />} pins={await countPins(connection, id)} />;
};

export default function Overview({ params }: Props) {
  return (
    <Allowed permission="view">
      <OverviewWithPins params={params} />
    </Allowed>
  );
}
