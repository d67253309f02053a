import { deleteFlagCommand, setFlagCommand } from '@/lib/flags/commands';
import { commandRoute } from '@/lib/http/routes';

export const PUT = commandRoute(setFlagCommand);
export const DELETE = commandRoute(deleteFlagCommand);
