import { commandRoute } from '@/lib/http/routes';
import { cancelJob } from '@/lib/jobs/commands';

export const POST = commandRoute(cancelJob);
