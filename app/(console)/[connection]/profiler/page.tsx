import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { ProfilerPage } from '@/components/profiler/profiler-page';
import { profilerQueries } from '@/components/profiler/queries';

export const generateMetadata = titled('profiler.title');

const first = (connection: string) => [profilerQueries.estimate(connection)];

export default function Profiler(page: PageProps) {
  return (
    <Allowed permission="caches:sample" first={first} {...page}>
      <ProfilerPage />
    </Allowed>
  );
}
