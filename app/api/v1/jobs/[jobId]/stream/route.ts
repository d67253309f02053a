import { streamRoute } from '@/lib/http/stream';
import { streamJob } from '@/lib/jobs/reads';
import { jobContracts } from '@/lib/jobs/schema';

export const GET = streamRoute(jobContracts.stream, streamJob);
