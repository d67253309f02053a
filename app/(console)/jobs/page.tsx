import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { JobsPage } from '@/components/jobs/jobs-page';
import { jobContracts } from '@/lib/jobs/schema';

export const generateMetadata = titled('jobs.title');

export default consolePage('view', <JobsPage />, () => [firstPage(jobContracts.list, undefined)]);
