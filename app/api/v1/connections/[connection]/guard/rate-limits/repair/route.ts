import { commandRoute } from '@/lib/http/routes';
import { repairWindow } from '@/lib/rate-limits/commands';

export const POST = commandRoute(repairWindow);
