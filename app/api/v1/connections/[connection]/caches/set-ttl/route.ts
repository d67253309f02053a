import { setTtl } from '@/lib/caches/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(setTtl);
