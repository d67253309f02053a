import { titled } from '@/app/titled';
import { JobsPage } from '@/components/jobs/jobs-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = titled('jobs.title');

export default function Jobs() {
  return (
    <Allowed permission="view">
      <JobsPage />
    </Allowed>
  );
}
