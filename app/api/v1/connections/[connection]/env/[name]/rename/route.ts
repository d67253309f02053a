import { renameVariableCommand } from '@/lib/env-vars/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(renameVariableCommand);
