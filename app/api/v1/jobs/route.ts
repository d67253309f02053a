import { readRoute } from '@/lib/http/routes';
import { listJobs } from '@/lib/jobs/reads';
import { jobContracts } from '@/lib/jobs/schema';

export const GET = readRoute(jobContracts.list, listJobs);
