import { consolePage } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { signedInUser } from '@/app/(console)/signed-in';
import { titled } from '@/app/titled';
import { SamplingQuestion } from '@/components/hit-rates/sampling-question';
import { OverviewPage } from '@/components/overview/overview-page';
import { familiesQuery } from '@/components/patterns/families-query';
import { pinnedQuery } from '@/components/patterns/pinned-metrics';
import { countPins } from '@/lib/metrics/pins';

export const generateMetadata = titled('overview.title');

/** Passes the number of pins, whose space is reserved while they load. */
const OverviewWithPins = async ({ params }: PageProps) => {
  const [{ id }, { connection }] = await Promise.all([signedInUser(), params]);
  return <OverviewPage notice={<SamplingQuestion />} pins={await countPins(connection, id)} />;
};

export default consolePage('view', OverviewWithPins, (connection) => [
  pinnedQuery(connection),
  familiesQuery(connection),
]);
