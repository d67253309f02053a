import { unblockProjects } from '@/lib/guard/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(unblockProjects);
