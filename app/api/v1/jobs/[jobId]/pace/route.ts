import { commandRoute } from '@/lib/http/routes';
import { setJobPace } from '@/lib/jobs/commands';

export const POST = commandRoute(setJobPace);
