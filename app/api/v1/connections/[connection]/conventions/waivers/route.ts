import { waive } from '@/lib/conventions/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(waive);
