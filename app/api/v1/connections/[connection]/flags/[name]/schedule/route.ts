import { scheduleFlag } from '@/lib/flags/schedule';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(scheduleFlag);
