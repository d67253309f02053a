import { commandRoute } from '@/lib/http/routes';
import { startProfile } from '@/lib/profiler/commands';

export const POST = commandRoute(startProfile);
