import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { streamRoute } from '@/lib/http/stream';
import { cancelJob, setJobPace } from '@/lib/jobs/commands';
import { getJob, listJobs, streamJob } from '@/lib/jobs/reads';
import { jobContracts } from '@/lib/jobs/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(jobContracts.list, listJobs),
    readRoute(jobContracts.get, getJob),
    streamRoute(jobContracts.stream, streamJob),
    commandRoute(cancelJob),
    commandRoute(setJobPace),
  ],
};
