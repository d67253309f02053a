import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ProfilerPage } from '@/components/profiler/profiler-page';

export const generateMetadata = titled('profiler.title');

export default function Profiler() {
  return (
    <Allowed permission="caches:sample">
      <ProfilerPage />
    </Allowed>
  );
}
