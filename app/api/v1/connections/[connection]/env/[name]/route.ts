import { deleteVariableCommand, setVariableCommand } from '@/lib/env-vars/commands';
import { commandRoute } from '@/lib/http/routes';

export const PUT = commandRoute(setVariableCommand);
export const DELETE = commandRoute(deleteVariableCommand);
