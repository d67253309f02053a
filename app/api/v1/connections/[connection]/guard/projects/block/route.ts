import { blockProjects } from '@/lib/guard/project-commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(blockProjects);
