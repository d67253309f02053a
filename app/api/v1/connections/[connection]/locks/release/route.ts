import { commandRoute } from '@/lib/http/routes';
import { releaseLock } from '@/lib/locks/commands';

export const POST = commandRoute(releaseLock);
