import { commandRoute } from '@/lib/http/routes';
import { resetWindow } from '@/lib/rate-limits/commands';

export const POST = commandRoute(resetWindow);
