import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ProfilerPage } from '@/components/profiler/profiler-page';
import { profilerQueries } from '@/components/profiler/queries';

export const generateMetadata = titled('profiler.title');

export default consolePage('caches:sample', <ProfilerPage />, (connection) => [
  profilerQueries.estimate(connection),
]);
