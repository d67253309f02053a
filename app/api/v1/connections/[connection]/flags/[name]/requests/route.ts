import { requestFlagChange } from '@/lib/flags/request-commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(requestFlagChange);
