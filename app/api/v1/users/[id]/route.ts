import { updateConsoleUser } from '@/lib/accounts/commands';
import { commandRoute } from '@/lib/http/routes';

export const PATCH = commandRoute(updateConsoleUser);
