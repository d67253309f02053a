import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { JobsPage } from '@/components/jobs/jobs-page';

export const generateMetadata = titled('jobs.title');

export default function Jobs() {
  return (
    <Allowed permission="view">
      <JobsPage />
    </Allowed>
  );
}
