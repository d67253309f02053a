import { restoreVariablesCommand } from '@/lib/env-vars/restore';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(restoreVariablesCommand);
