import { approveFlagChange } from '@/lib/flags/approve';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(approveFlagChange);
