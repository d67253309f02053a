import { createVariableCommand } from '@/lib/env-vars/commands';
import { listVariables } from '@/lib/env-vars/reads';
import { envContracts } from '@/lib/env-vars/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(envContracts.list, listVariables);
export const POST = commandRoute(createVariableCommand);
