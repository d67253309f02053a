import { invalidate } from '@/lib/caches/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(invalidate);
