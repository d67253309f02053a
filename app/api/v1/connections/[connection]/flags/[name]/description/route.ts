import { describeFlagCommand } from '@/lib/flags/commands';
import { commandRoute } from '@/lib/http/routes';

export const PUT = commandRoute(describeFlagCommand);
