import { unscheduleFlag } from '@/lib/flags/schedule';
import { commandRoute } from '@/lib/http/routes';

export const DELETE = commandRoute(unscheduleFlag);
