import { readRoute } from '@/lib/http/routes';
import { getJob } from '@/lib/jobs/reads';
import { jobContracts } from '@/lib/jobs/schema';

export const GET = readRoute(jobContracts.get, getJob);
