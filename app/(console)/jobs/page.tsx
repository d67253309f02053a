import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { JobsPage } from '@/components/jobs/jobs-page';
import { jobContracts } from '@/lib/jobs/schema';

export const generateMetadata = titled('jobs.title');

const first = () => [firstPage(jobContracts.list, undefined)];

export default function Jobs(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <JobsPage />
    </Allowed>
  );
}
