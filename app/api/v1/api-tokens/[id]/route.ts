import { revokeToken } from '@/lib/accounts/commands';
import { commandRoute } from '@/lib/http/routes';

export const DELETE = commandRoute(revokeToken);
