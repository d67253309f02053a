import { checkConventionsCommand } from '@/lib/conventions/check-job';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(checkConventionsCommand);
